/** Pods as the spec has them: tried before somebody is stopped for them, remembered when all is well, and told when they cannot be made. */
import { Pod, PodTemplate } from "capstan/kinds/v1";
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
import type { ActionContext } from "./reconcile-context.ts";

/**
 * Lets the API server judge the pod that a member is to have, before the one that it has is stopped for it. A PodTemplate is judged as a
 * pod is, and runs nothing. It stays until all is well: a spec that is edited again and again would have it made and removed as often.
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

/** Makes the pod of a member. */
export async function startMember(context: ActionContext<"create-pod">, seed: SeedParts | undefined): Promise<void> {
  const { create, seen, action } = context;
  const { member, boot, version } = action;
  const peers = seen.membership.members.map((listed) => listed.member);
  const input = { member, boot, version, peers, ...(seed === undefined ? {} : { seed }) };
  if (action.form === "last good") await create(Pod, member, buildPod(seen.goodForm ?? seen.template, input));
  else await unlessRefused(context, version, async () => await create(Pod, member, buildPod(seen.template, input)));
}

/** All is well: this is the form to come back to, and there is nothing to try. */
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

/** A form that cannot be had is written down, so that nobody waits for it. */
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
