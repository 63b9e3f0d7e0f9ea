/** Who a pod is to registries: the secrets that it names for this. */
import { fromDockerConfig, type Credentials, type DockerConfig, type Reference } from "@capstan/oci";
import type { Secret } from "@capstan/kinds/v1";
import type { BoundPod } from "../pod/containers.ts";
import type { Objects } from "./objects.ts";

/** Every login that may be good for an image, in the order in which they are tried: while a password changes there are two. */
export type PullLogins = (reference: Reference) => Promise<readonly Credentials[]>;

/** The logins in the secrets of a pod, those of the closest place first; secrets that are not there are passed over. */
export function pullSecretsOf(pod: BoundPod, objects: Pick<Objects, "secret">): PullLogins {
  return async (reference) => {
    const names = (pod.spec.imagePullSecrets ?? []).map(({ name = "" }) => name);
    const secrets = await Promise.all(names.map((name) => objects.secret(pod.metadata.namespace ?? "", name)));
    const entries = secrets
      .flatMap((secret) => Object.entries((secret && configOf(secret).auths) ?? {}))
      .map(([key, entry]) => ({ place: placeOf(key), entry }))
      .filter(({ place }) => isWithin(reference, place))
      .toSorted((a, b) => (a.place < b.place ? 1 : a.place > b.place ? -1 : 0));
    const { registry } = reference;
    const logins = entries.map(({ entry }) => fromDockerConfig({ auths: { [registry]: entry } }, noHelper)(registry));
    return (await Promise.all(logins)).filter((login) => login !== undefined);
  };
}

/** What a login is for, without what people write around it: `https://index.docker.io/v1/` is `index.docker.io`. */
function placeOf(key: string): string {
  const place = key.replace(/^https?:\/\//u, "").replace(/\/+$/u, "");
  return place.replace(/\/v[12](?=\/|$)/u, "").replace(/^(?:index\.)?docker\.io(?=\/|$)/u, "docker.io");
}

/** Whether an image is at a place: one host, in whose labels `*` stands for anything, and the beginning of a path. */
function isWithin({ registry, repository }: Reference, place: string): boolean {
  const [host = "", ...path] = place.split("/");
  const [labels, wanted] = [host, registry].map((name) => name.split("."));
  return (
    labels?.length === wanted?.length &&
    `/${repository}`.startsWith(path.length === 0 ? "" : `/${path.join("/")}`) &&
    (labels ?? []).every((label, at) => fits(label, wanted?.[at] ?? ""))
  );
}

function fits(glob: string, label: string): boolean {
  const parts = glob.split("*").map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/gu, String.raw`\$&`));
  return new RegExp(`^${parts.join(".*")}$`, "u").test(label);
}

/** The secrets that a pod names and that are not there. */
export async function missingPullSecrets(
  { metadata, spec }: BoundPod,
  objects: Pick<Objects, "secret">,
): Promise<readonly string[]> {
  const names = (spec.imagePullSecrets ?? []).flatMap(({ name = "" }) => (name === "" ? [] : [name]));
  const found = await Promise.all(names.map((name) => objects.secret(metadata.namespace ?? "", name)));
  return names.filter((_name, index) => found[index] === undefined);
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
