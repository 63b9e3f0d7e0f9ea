/** A PostgreSQL cluster as CloudNativePG understands it, and ways to ask its instances. */
import type { Client } from "@capstan/client";
import type { Kind, KubeObject } from "@capstan/model";

/** The part of a `Cluster` of CloudNativePG that the story looks at. */
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

/** Where instances are. */
export interface Place {
  readonly client: Client;
  readonly namespace: string;
}

/** Asks an instance in SQL; undefined when it does not answer. */
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
