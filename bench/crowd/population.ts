/** The identities and the objects of the crowd benchmark. */
import { createClient, loadConfig, noRetry, processHost } from "@capstan/client";
import type { Client } from "@capstan/client";
import { ClusterRoleBinding } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { ConfigMap, Namespace, ServiceAccount } from "@capstan/kinds/v1";
import { inParallel } from "../load.ts";

const badClients = 200;
const objects = 1_000;

/** Tokens of the clients, and the namespace with their objects. */
export interface Population {
  readonly namespace: string;
  readonly good: string;
  readonly bad: readonly string[];
}

/** Creates service accounts with all permissions, and a thousand ConfigMaps of 1 KB. */
export async function populate(client: Client): Promise<Population> {
  const namespace = `crowd-${Date.now()}`;
  await client.create(Namespace, { metadata: { name: namespace } });
  await client.create(ClusterRoleBinding, {
    metadata: { name: namespace },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: `system:serviceaccounts:${namespace}` }],
  });
  const data = { text: "x".repeat(1024) };
  await inParallel(objects, (at) => client.create(ConfigMap, { metadata: { namespace, name: `item-${at}` }, data }));
  const tokens: string[] = [];
  await inParallel(badClients + 1, async (at) => {
    const name = `client-${at}`;
    await client.create(ServiceAccount, { metadata: { namespace, name } });
    const { status } = await client.createToken({ namespace, name }, { expirationSeconds: 3600 });
    tokens.push(status.token);
  });
  const [good = "", ...bad] = tokens;
  return { namespace, good, bad };
}

/** A client with the token of a service account. It does not retry: a rejected request counts. */
export async function clientAs(kubeconfig: string, token: string): Promise<Client> {
  const config = await loadConfig(processHost(), { kubeconfig });
  return createClient({ ...config, user: { proof: { type: "token", token } } }, { retry: noRetry });
}
