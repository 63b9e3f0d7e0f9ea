/** Creates the default service account and the CA ConfigMap in every namespace. */
import { isApiError } from "@capstan/client";
import type { Client } from "@capstan/client";
import { ConfigMap, Namespace, ServiceAccount } from "@capstan/kinds/v1";
import { controller } from "@capstan/runtime";
import type { Controller } from "@capstan/runtime";
import { FIELD_MANAGER } from "../controller/context.ts";
import type { ControllerContext } from "../controller/context.ts";

/** The name of the ConfigMap with the CA certificate. */
export const ROOT_CA = "kube-root-ca.crt";
const DESCRIPTION =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/** Creates the service account `default` in every namespace. */
export function serviceAccountController({ client }: ControllerContext): Controller {
  return controller(Namespace, { name: "serviceaccount", reads: [ServiceAccount] }, async ({ object, get, signal }) => {
    const namespace = object.metadata.name;
    if (object.status?.phase === "Terminating") return;
    if (get(ServiceAccount, { name: "default", namespace }) !== undefined) return;
    const account = { metadata: { name: "default", namespace } };
    await create(() => client.create(ServiceAccount, account, { fieldManager: FIELD_MANAGER, signal }));
  });
}

/** Publishes the CA certificate in every namespace. */
export function rootCaController({ client }: ControllerContext, certificate: string): Controller {
  const data = { "ca.crt": certificate };
  return controller(Namespace, { name: "rootca", reads: [ConfigMap] }, async ({ object, get, signal }) => {
    const namespace = object.metadata.name;
    if (object.status?.phase === "Terminating") return;
    const existing = get(ConfigMap, { name: ROOT_CA, namespace });
    if (existing === undefined) {
      const annotations = { "kubernetes.io/description": DESCRIPTION };
      const map = { metadata: { name: ROOT_CA, namespace, annotations }, data };
      return create(() => client.create(ConfigMap, map, { fieldManager: FIELD_MANAGER, signal }));
    }
    if (existing.data?.["ca.crt"] !== certificate) await restoreRootCa(client, namespace, data);
  });
}

/** The object exists already, or the namespace is terminating: nothing to do. */
async function create(call: () => Promise<unknown>): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (!isApiError(error, "AlreadyExists", "Forbidden", "NotFound")) throw error;
  }
}

async function restoreRootCa(client: Client, namespace: string, data: object): Promise<void> {
  const patch = { json: [{ op: "add", path: "/data", value: data }] } as const;
  await client.patch(ConfigMap, { namespace, name: ROOT_CA }, patch, { fieldManager: FIELD_MANAGER });
}
