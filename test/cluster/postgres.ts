/** A PostgreSQL cluster of CloudNativePG, and functions to query its instances. */
import type { Client } from "@capstan/client";
import type { Kind, KubeObject } from "@capstan/model";

/** The fields of a CloudNativePG `Cluster` that the test reads. */
export interface PostgresCluster extends KubeObject {
  readonly spec: {
    readonly instances: number;
    readonly imageName: string;
    readonly storage: { readonly size: string };
    readonly postgresql?: { readonly parameters?: { readonly [name: string]: string } };
  };
  readonly status?: {
    readonly readyInstances?: number;
    readonly currentPrimary?: string;
    readonly phase?: string;
  };
}

/** The kind of CloudNativePG's clusters. */
export const Postgres: Kind<PostgresCluster, Partial<PostgresCluster>, "Namespaced"> = {
  group: "postgresql.cnpg.io",
  version: "v1",
  kind: "Cluster",
  plural: "clusters",
  scope: "Namespaced",
};

/** The cluster and namespace of the instances. */
export interface Place {
  readonly client: Client;
  readonly namespace: string;
}

/** Runs SQL in an instance; undefined when it does not respond. */
export async function ask({ client, namespace }: Place, instance: string, sql: string): Promise<string | undefined> {
  const command = ["psql", "--no-align", "--tuples-only", "--quiet", "--command", sql, "app"];
  try {
    const session = await client.exec({ namespace, name: instance, container: "postgres", command });
    const { code, stdout } = await session.finish();
    return code === 0 ? stdout.trim() : undefined;
  } catch {
    return undefined;
  }
}
