/**
 * Pod templates: checked before a pod is stopped for them, recorded as last good template when the cluster is healthy, reported when they
 * are rejected.
 */
import { Pod, PodTemplate } from "capstan/kinds/v1";
import type { Boot } from "../contract.ts";
import { hasTemplateFailed, targetVersion, viewOf } from "../decide/index.ts";
import {
  buildPod,
  clusterLabels,
  templateAnnotation,
  formatTemplate,
  lastGoodTemplateName,
  templateHashOf,
} from "../pods/index.ts";
import type { SeedParts } from "../pods/index.ts";
import { formatTimestamp } from "../timestamp.ts";
import { isImpossible, describeRejection } from "./rejected-step.ts";
import { isServing } from "./serve-clients.ts";
import type { ActionContext } from "./reconcile-context.ts";

/**
 * Lets the API server validate the desired pod of a member before the present pod is stopped. A PodTemplate is validated like a pod and
 * runs nothing. It stays until the cluster is healthy, because a spec that is edited often would create and delete it as often.
 */
export async function dryRunTemplate(context: ActionContext, member: string, version: string): Promise<void> {
  const { apply, seen } = context;
  await unlessRefused(context, version, async () => {
    const form = hasTemplateFailed(seen) ? (seen.goodForm ?? seen.template) : seen.template;
    const template = buildPod(form, { member, boot: "live", version, peers: [] });
    await apply(PodTemplate, dryRunName(seen.name), { metadata: { labels: clusterLabels(seen.name) }, template });
  });
}

function dryRunName(cluster: string): string {
  return `${cluster}-next`;
}

/** Creates the pod of a member. */
export async function startMember(context: ActionContext<"create-pod">, seed: SeedParts | undefined): Promise<void> {
  const { create, seen, action } = context;
  const { member, boot, version } = action;
  const peers = seen.membership.members.map((listed) => listed.member);
  const isVoter = isSure(boot) || isServing(seen, member);
  const input = { member, boot, version, peers, isVoter, ...(seed === undefined ? {} : { seed }) };
  if (action.form === "last good") await create(Pod, member, buildPod(seen.goodForm ?? seen.template, input));
  else await unlessRefused(context, version, async () => await create(Pod, member, buildPod(seen.template, input)));
}

/** A first or only member votes from its start. */
function isSure(boot: Boot): boolean {
  return boot === "seed" || boot === "seed-backup" || boot === "survive";
}

/** The cluster is healthy: records the template as last good template, and removes the dry-run template. */
export async function recordLastGoodTemplate({ apply, remove, seen }: ActionContext): Promise<void> {
  const { name, template, desired } = seen;
  await remove(PodTemplate, dryRunName(name));
  const version = targetVersion(viewOf(seen));
  const member = `${name}-0`;
  const isProven =
    seen.pods.length > 0 && seen.pods.every((pod) => pod.templateHash === desired.templateHashFor(pod.version));
  if (!isProven) return;
  await apply(PodTemplate, lastGoodTemplateName(name), {
    metadata: { labels: clusterLabels(name), annotations: { [templateAnnotation]: formatTemplate(template) } },
    template: buildPod(template, { member, boot: "live", version, peers: [] }),
  });
}

/** Records a template that was rejected, so that no update waits for it. */
async function unlessRefused(
  { seen, status }: ActionContext,
  version: string,
  make: () => Promise<unknown>,
): Promise<void> {
  try {
    await make();
    status.formRefused = undefined;
  } catch (error) {
    if (isImpossible(error))
      status.formRefused = {
        print: templateHashOf(seen.template, version),
        why: describeRejection(error),
        at: formatTimestamp(seen.now),
      };
    throw error;
  }
}
