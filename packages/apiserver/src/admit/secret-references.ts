/** Which secrets a pod may reference: those of its service account if the account enforces it, none in a mirror pod. */
import type { Container, EphemeralContainer, Pod, ServiceAccount } from "@capstan/kinds/v1";

/** Why a mirror pod, which does not have a service account, is invalid. */
export function mirrorProblem({ spec }: Pod): string | undefined {
  if ((spec?.serviceAccountName ?? "") !== "") return "a mirror pod may not reference service accounts";
  if (hasSecrets(spec)) return "a mirror pod may not reference secrets";
  const projectsToken = spec?.volumes?.some(({ projected }) =>
    projected?.sources?.some(({ serviceAccountToken }) => serviceAccountToken !== undefined),
  );
  return projectsToken === true ? "a mirror pod may not use ServiceAccountToken volume projections" : undefined;
}

type AnyContainer = Container | EphemeralContainer;

/** Any secret reference counts: volumes of every type, environment, image pull secrets. */
function hasSecrets(spec: Pod["spec"]): boolean {
  if ((spec?.imagePullSecrets ?? []).length > 0) return true;
  const containers: readonly AnyContainer[] = [
    ...(spec?.initContainers ?? []),
    ...(spec?.containers ?? []),
    ...(spec?.ephemeralContainers ?? []),
  ];
  return (
    containers.some((container) => referencesOf(container).length > 0) ||
    (spec?.volumes ?? []).some((volume) => mentionsSecret(volume))
  );
}

const secretFields: ReadonlySet<string> = new Set(["secret", "secretRef", "secretName", "nodePublishSecretRef"]);

function mentionsSecret(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(mentionsSecret);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([field, part]) => secretFields.has(field) || mentionsSecret(part));
}

/** The first secret reference that the service account does not list. */
export function secretProblem(account: ServiceAccount, { spec }: Pod): string | undefined {
  const allowance = allowanceOf(account);
  const { mountable, denied } = allowance;
  const volumes = (spec?.volumes ?? []).flatMap(({ secret }) =>
    secret === undefined ? [] : (secret.secretName ?? ""),
  );
  const bad = volumes.find((name) => !mountable.has(name));
  if (bad !== undefined) return `volume with secret.secretName="${bad}" ${denied} secret`;
  return (
    containersProblem(spec?.initContainers ?? [], "init container", allowance) ??
    containersProblem(spec?.containers ?? [], "container", allowance) ??
    pullProblem(account, spec, denied)
  );
}

function allowanceOf({ metadata, secrets = [] }: ServiceAccount): Allowance {
  return {
    mountable: new Set(secrets.map(({ name = "" }) => name)),
    denied: `is not allowed because service account ${metadata.name} does not reference that`,
  };
}

function pullProblem({ imagePullSecrets = [] }: ServiceAccount, spec: Pod["spec"], denied: string): string | undefined {
  const pullable = new Set(imagePullSecrets.map(({ name = "" }) => name));
  const pulls = spec?.imagePullSecrets ?? [];
  const index = pulls.findIndex(({ name = "" }) => !pullable.has(name));
  return index === -1 ? undefined : `imagePullSecrets[${index}].name="${pulls[index]?.name}" ${denied} imagePullSecret`;
}

/** The same for ephemeral containers. */
export function ephemeralSecretProblem(account: ServiceAccount, { spec }: Pod): string | undefined {
  return containersProblem(spec?.ephemeralContainers ?? [], "ephemeral container", allowanceOf(account));
}

interface Allowance {
  readonly mountable: ReadonlySet<string>;
  /** The end of the message, up to the type of the reference (secret, imagePullSecret). */
  readonly denied: string;
}

function containersProblem(
  containers: readonly AnyContainer[],
  what: string,
  { mountable, denied }: Allowance,
): string | undefined {
  for (const container of containers) {
    const bad = referencesOf(container).find(({ secret }) => !mountable.has(secret));
    if (bad === undefined) continue;
    return `${what} ${container.name} with ${bad.by} referencing secret.secretName="${bad.secret}" ${denied} secret`;
  }
  return undefined;
}

/** The secrets in the environment of a container, and the field of each reference. */
function referencesOf({ env = [], envFrom = [] }: AnyContainer): { readonly by: string; readonly secret: string }[] {
  const single = env.flatMap(({ name, valueFrom }) =>
    valueFrom?.secretKeyRef === undefined ? [] : { by: `envVar ${name}`, secret: valueFrom.secretKeyRef.name ?? "" },
  );
  const whole = envFrom.flatMap(({ secretRef }) =>
    secretRef === undefined ? [] : { by: "envFrom", secret: secretRef.name ?? "" },
  );
  return [...single, ...whole];
}
