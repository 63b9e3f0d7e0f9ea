/** Who a pod is to registries: the secrets that it names for this. */
import { fromDockerConfig, type CredentialSource, type DockerConfig } from "@capstan/oci";
import type { Secret } from "@capstan/kinds/v1";
import type { BoundPod } from "../pod/containers.ts";
import type { Objects } from "./objects.ts";

/** Looks for credentials in the secrets of a pod, in their order; secrets that are not there are passed over. */
export function pullSecretsOf(pod: BoundPod, objects: Pick<Objects, "secret">): CredentialSource {
  return async (registry) => {
    for (const { name = "" } of pod.spec.imagePullSecrets ?? []) {
      const secret = await objects.secret(pod.metadata.namespace ?? "", name);
      const found = secret && (await fromDockerConfig(configOf(secret), noHelper)(registry));
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

/** Helpers are programs of a user's machine; a secret that names one names nothing here. */
const noHelper = async (): Promise<undefined> => undefined;

/** Both forms that Kubernetes knows; what cannot be read says nothing. */
function configOf({ data = {} }: Secret): DockerConfig {
  const [whole, old] = [parse(data[".dockerconfigjson"]), parse(data[".dockercfg"])];
  return whole ?? { auths: (old as DockerConfig["auths"]) ?? {} };
}

function parse(base64: string | undefined): DockerConfig | undefined {
  if (base64 === undefined) return undefined;
  try {
    return JSON.parse(Buffer.from(base64, "base64").toString("utf8")) as DockerConfig;
  } catch {
    return undefined;
  }
}
