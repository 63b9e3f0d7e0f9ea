/** Certificates of a cluster as observed: which members serve TLS, what is trusted, and what must be applied. */
import { Secret } from "@capstan/kinds/v1";
import type { MemberStatus } from "../cluster/observation.ts";
import type { ClusterObject } from "../cluster/resource.ts";
import { planTls } from "../tls/plan.ts";
import type { TlsInput, TlsPlan } from "../tls/plan.ts";
import { readTexts } from "../tls/secret.ts";
import type { ClusterContext } from "./observe.ts";
import type { PodObject } from "./pods.ts";

/** The input of a plan, without what members serve. */
export function tlsInput(
  { get }: Pick<ClusterContext, "get">,
  { metadata, spec }: ClusterObject,
  now: number,
): Omit<TlsInput, "served"> {
  return {
    cluster: metadata.name,
    namespace: metadata.namespace ?? "",
    spec: spec.tls,
    now,
    read: (name) => {
      const secret = get(Secret, name);
      return secret && readTexts(secret);
    },
  };
}

/** Names of the pods that have certificates. */
export function securedMembers(pods: readonly PodObject[]): ReadonlySet<string> {
  return new Set(pods.filter((pod) => mountedSecret(pod) !== undefined).map(({ metadata }) => metadata.name));
}

function mountedSecret({ spec }: PodObject): string | undefined {
  return spec?.volumes?.find(({ name }) => name === "tls")?.secret?.secretName;
}

export interface TlsObservation {
  readonly plan: TlsPlan;
  /** The Secret that new pods mount. */
  readonly mount: string | undefined;
  /** What new pods need and what does not exist. */
  readonly missing: readonly string[];
}

/** With certificates that cannot be used, pods keep what they have, and no first pod starts without encryption. */
export function observeTls(
  input: Omit<TlsInput, "served">,
  {
    pods,
    statuses,
  }: { readonly pods: readonly PodObject[]; readonly statuses: { readonly [member: string]: MemberStatus<unknown> } },
): TlsObservation {
  const served = [...securedMembers(pods)].map((member) => {
    const status = statuses[member];
    return status?.is === "responding" ? status.report.certificateEnd : undefined;
  });
  const plan = planTls({ ...input, served });
  const mounted = pods.map(mountedSecret).find((secret) => secret !== undefined);
  const isPossible = plan.state.isReady || pods.length > 0;
  const mount = plan.state.reason === "Off" ? undefined : (plan.mount ?? mounted);
  return { plan, mount, missing: isPossible ? [] : [`usable certificates (${plan.state.message})`] };
}
