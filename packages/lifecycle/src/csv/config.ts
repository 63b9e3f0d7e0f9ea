/** Adds the config of a Subscription to a pod template. */
import type { DeploymentSpec } from "@capstan/kinds/apps/v1";
import type { Affinity, Container, EnvVar, PodSpec } from "@capstan/kinds/v1";
import { isDeepEqual } from "@capstan/model";
import type { SubscriptionConfig } from "../kinds/subscription.ts";

type PodTemplate = DeploymentSpec["template"];

/** The template with the config. Containers get it, init containers do not. */
export function withConfig(template: PodTemplate, config: SubscriptionConfig | undefined): PodTemplate {
  if (config === undefined) return template;
  const annotations = { ...config.annotations, ...template.metadata?.annotations };
  const metadata = config.annotations === undefined ? template.metadata : { ...template.metadata, annotations };
  const spec = template.spec === undefined ? undefined : podWithConfig(template.spec, config);
  return { ...template, ...(metadata === undefined ? {} : { metadata }), ...(spec === undefined ? {} : { spec }) };
}

function podWithConfig(pod: PodSpec, config: SubscriptionConfig): PodSpec {
  const { affinity: _, ...rest } = pod;
  const affinity = mergedAffinity(pod.affinity, config.affinity);
  const tolerations = appended(pod.tolerations, config.tolerations);
  const volumes = byName(pod.volumes, config.volumes);
  return {
    ...rest,
    containers: pod.containers.map((container) => containerWithConfig(container, config)),
    ...(config.nodeSelector === undefined ? {} : { nodeSelector: config.nodeSelector }),
    ...(affinity === undefined ? {} : { affinity }),
    ...(tolerations === undefined ? {} : { tolerations }),
    ...(volumes === undefined ? {} : { volumes }),
  };
}

function containerWithConfig(container: Container, config: SubscriptionConfig): Container {
  const envFrom = appended(container.envFrom, config.envFrom);
  const volumeMounts = byName(container.volumeMounts, config.volumeMounts);
  return {
    ...container,
    ...(config.env === undefined ? {} : { env: byName(container.env, config.env) ?? [] }),
    ...(envFrom === undefined ? {} : { envFrom }),
    ...(volumeMounts === undefined ? {} : { volumeMounts }),
    ...(config.resources === undefined ? {} : { resources: config.resources }),
  };
}

/** Items replaced in place by name; new ones are appended. */
export function byName<T extends { readonly name: string }>(
  items: readonly T[] | undefined,
  changes: readonly T[] | undefined,
): readonly T[] | undefined {
  if (changes === undefined || changes.length === 0) return items;
  const wanted = new Map(changes.map((change) => [change.name, change]));
  const known = new Set(items?.map(({ name }) => name));
  return [
    ...(items ?? []).map((item) => wanted.get(item.name) ?? item),
    ...[...wanted.values()].filter(({ name }) => !known.has(name)),
  ];
}

/** Adds an environment variable to every container. */
export function withEnv(template: PodTemplate, variable: EnvVar): PodTemplate {
  return withConfig(template, { env: [variable] });
}

function appended<T>(items: readonly T[] | undefined, more: readonly T[] | undefined): readonly T[] | undefined {
  if (more === undefined || more.length === 0) return items;
  const known = items ?? [];
  return [...known, ...more.filter((each) => !known.some((item) => isDeepEqual(item, each)))];
}

const PARTS = ["nodeAffinity", "podAffinity", "podAntiAffinity"] as const;

/** The affinity part by part: an empty part clears it, an absent part leaves it. An empty affinity clears everything. */
function mergedAffinity(own: Affinity | undefined, wanted: Affinity | undefined): Affinity | undefined {
  if (wanted === undefined) return own;
  if (isEmpty(wanted)) return undefined;
  if (own === undefined || isEmpty(own)) return wanted;
  const merged: { -readonly [P in keyof Affinity]: Affinity[P] } = { ...own };
  for (const part of PARTS) {
    const value = wanted[part];
    if (value === undefined) continue;
    if (isEmpty(value)) delete merged[part];
    else Object.assign(merged, { [part]: value });
  }
  return isEmpty(merged) ? undefined : merged;
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}
