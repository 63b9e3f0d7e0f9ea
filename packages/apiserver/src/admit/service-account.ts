/** ServiceAccount: sets the service account of a pod, mounts its token and adds its pull secrets. */
import type { Container, Pod, ServiceAccount, Volume, VolumeMount } from "@capstan/kinds/v1";
import { apiErrors } from "@capstan/model";
import type { Draft } from "../builtin/draft.ts";
import { generateNameFrom } from "../metadata/system-fields.ts";
import type { AdmissionContext, AdmissionRequest, AdmissionStep } from "./admission.ts";
import { mirrorProblem, secretProblem, ephemeralSecretProblem } from "./secret-references.ts";
import { isFor, isForAny, objectOf, refusal } from "./target.ts";
import { unaskable } from "./unaskable-name.ts";

const mirrorAnnotation = "kubernetes.io/config.mirror";
const mountableAnnotation = "kubernetes.io/enforce-mountable-secrets";
const defaultAccount = "default";
const volumePrefix = "kube-api-access-";
const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";

export const serviceAccount: AdmissionStep = {
  name: "ServiceAccount",
  handles: (operation) => operation === "CREATE" || operation === "UPDATE",
  mutate(request, context) {
    if (!isFor(request, "pods") || request.operation !== "CREATE") return undefined;
    return isMirror(request) ? validate(request, context) : equip(request, context);
  },
  validate(request, context) {
    if (!isForAny(request, "pods")) return undefined;
    const { operation, subresource } = request;
    if (operation === "CREATE" && subresource === "") return validate(request, context);
    if (operation === "UPDATE" && subresource === "ephemeralcontainers") return validateEphemeral(request, context);
    return undefined;
  },
};

function isMirror({ object }: AdmissionRequest): boolean {
  return object?.metadata.annotations?.[mirrorAnnotation] !== undefined;
}

async function equip(request: AdmissionRequest, context: AdmissionContext): Promise<void> {
  const pod = objectOf<Pod>(request);
  const spec = (pod.spec ??= { containers: [] });
  spec.serviceAccountName ||= defaultAccount;
  spec.serviceAccount = spec.serviceAccountName;
  const account = await findAccount(request, spec.serviceAccountName, context);
  if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(spec, context);
  if ((spec.imagePullSecrets ?? []).length === 0 && (account.imagePullSecrets ?? []).length > 0) {
    spec.imagePullSecrets = (account.imagePullSecrets ?? []).map(({ name = "" }) => ({ name }));
  }
  await validate(request, context);
}

const attempts = 10;

/** A controller creates the default account soon after the namespace, so the plugin waits for it. */
async function findAccount(
  request: AdmissionRequest,
  name: string,
  context: AdmissionContext,
): Promise<ServiceAccount> {
  const interval = 100 + context.random(100);
  for (let attempt = 1; ; attempt++) {
    const found = context.lookup.get("serviceaccounts", name, request.namespace);
    if (found !== undefined) return found as ServiceAccount;
    if (name !== defaultAccount || attempt === attempts) break;
    await context.pause(interval);
  }
  const message = unaskable(name) ?? apiErrors.notFound({ group: "", resource: "serviceaccount" }, name).message;
  throw refusal(request, `error looking up service account ${request.namespace}/${name}: ${message}`);
}

async function validate(request: AdmissionRequest, context: AdmissionContext): Promise<void> {
  const pod = objectOf<Pod>(request);
  if (isMirror(request)) {
    const problem = mirrorProblem(pod);
    if (problem !== undefined) throw refusal(request, problem);
    return;
  }
  const account = await accountOf(request, context);
  const problem = isEnforced(account) ? secretProblem(account, pod) : undefined;
  if (problem !== undefined) throw refusal(request, problem);
}

async function validateEphemeral(request: AdmissionRequest, context: AdmissionContext): Promise<void> {
  const account = await accountOf(request, context);
  const problem = isEnforced(account) ? ephemeralSecretProblem(account, objectOf<Pod>(request)) : undefined;
  // kube-apiserver returns an internal error here, not 403.
  if (problem !== undefined) throw apiErrors.internalError(problem);
}

function accountOf(request: AdmissionRequest, context: AdmissionContext): Promise<ServiceAccount> {
  const { metadata, spec } = objectOf<Pod>(request);
  const name = spec?.serviceAccountName ?? "";
  if (name === "") {
    throw refusal(request, `no service account specified for pod ${request.namespace}/${metadata.name ?? ""}`);
  }
  return findAccount(request, name, context);
}

const trueTexts: ReadonlySet<string | undefined> = new Set(["1", "t", "T", "true", "TRUE", "True"]);

function isEnforced({ metadata }: ServiceAccount): boolean {
  return trueTexts.has(metadata.annotations?.[mountableAnnotation]);
}

type Spec = NonNullable<Draft<Pod>["spec"]>;

function mountToken(spec: Spec, context: AdmissionContext): void {
  const present = spec.volumes?.find(({ name }) => name.startsWith(volumePrefix))?.name;
  const name = present ?? generateNameFrom(volumePrefix, context);
  const mount: VolumeMount = { name, readOnly: true, mountPath };
  const mounted = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].filter((one) => addMount(one, mount));
  if (present === undefined && mounted.length > 0) spec.volumes = [...(spec.volumes ?? []), tokenVolume(name)];
}

/** A container that already mounts something at that path keeps it. */
function addMount(container: Draft<Container>, mount: VolumeMount): boolean {
  const mounts = container.volumeMounts ?? [];
  if (mounts.some((one) => one.mountPath === mountPath)) return false;
  container.volumeMounts = [...mounts, { ...mount }];
  return true;
}

const defaultMode = 0o644;
const expirationSeconds = 3607;

function tokenVolume(name: string): Draft<Volume> {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds, path: "token" } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        {
          downwardAPI: {
            items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
          },
        },
      ],
      defaultMode,
    },
  };
}
