/** Reads the objects that pods refer to. Simultaneous reads of the same object share one request. */
import { isApiError, type Client } from "@capstan/client";
import { RuntimeClass } from "@capstan/kinds/node.k8s.io/v1";
import { ConfigMap, PersistentVolume, PersistentVolumeClaim, Secret } from "@capstan/kinds/v1";

/** The objects that a pod refers to; `undefined` means that the object does not exist. */
export interface Objects {
  configMap(namespace: string, name: string): Promise<ConfigMap | undefined>;
  secret(namespace: string, name: string): Promise<Secret | undefined>;
  claim(namespace: string, name: string): Promise<PersistentVolumeClaim | undefined>;
  volume(name: string): Promise<PersistentVolume | undefined>;
  runtimeClass(name: string): Promise<RuntimeClass | undefined>;
}

/** Reads the objects from an API server. */
export function objectsOf(client: Client): Objects {
  const asked = new Map<string, Promise<unknown>>();
  const once = <T>(key: string, ask: () => Promise<T>): Promise<T | undefined> => {
    const running = asked.get(key) as Promise<T | undefined> | undefined;
    if (running !== undefined) return running;
    const answer = ask()
      .catch((error: unknown) => {
        if (isApiError(error, "NotFound")) return undefined;
        throw error;
      })
      .finally(() => asked.delete(key));
    asked.set(key, answer);
    return answer;
  };
  return {
    configMap: (namespace, name) => once(`cm/${namespace}/${name}`, () => client.get(ConfigMap, { namespace, name })),
    secret: (namespace, name) => once(`secret/${namespace}/${name}`, () => client.get(Secret, { namespace, name })),
    claim: (namespace, name) =>
      once(`pvc/${namespace}/${name}`, () => client.get(PersistentVolumeClaim, { namespace, name })),
    volume: (name) => once(`pv/${name}`, () => client.get(PersistentVolume, { name })),
    runtimeClass: (name) => once(`runtime/${name}`, () => client.get(RuntimeClass, { name })),
  };
}
