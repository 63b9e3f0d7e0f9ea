/** Pods as the spec has them: tried before somebody is stopped for them, remembered when all is well, and told when they cannot be made. */
import { Pod, PodTemplate } from "capstan/kinds/v1";
import { hasFormFailed, targetVersion, viewOf } from "../decide/index.ts";
import { buildPod, clusterLabels, FORM_ANNOTATION, formatForm, formName, printOf } from "../pods/index.ts";
import type { SeedParts } from "../pods/index.ts";
import { formatTimestamp } from "../timestamp.ts";
import { isImpossible, refusalWords } from "./obstacle.ts";
import type { Turn } from "./turn.ts";

/**
 * Lets the API server judge the pod that a member is to have, before the one that it has is stopped for it. A PodTemplate is judged as a
 * pod is, and runs nothing. It stays until all is well: a spec that is edited again and again would have it made and removed as often.
 */
export async function tryForm(turn: Turn, member: string, version: string): Promise<void> {
  const { apply, seen } = turn;
  await unlessRefused(turn, version, async () => {
    const form = hasFormFailed(seen) ? (seen.goodForm ?? seen.form) : seen.form;
    const template = buildPod(form, { member, boot: "live", version, peers: [] });
    await apply(PodTemplate, trialName(seen.name), { metadata: { labels: clusterLabels(seen.name) }, template });
  });
}

function trialName(cluster: string): string {
  return `${cluster}-next`;
}

/** Makes the pod of a member. */
export async function startMember(turn: Turn<"create-pod">, seed: SeedParts | undefined): Promise<void> {
  const { create, seen, action } = turn;
  const { member, boot, version } = action;
  const peers = seen.membership.members.map((listed) => listed.member);
  const input = { member, boot, version, peers, ...(seed === undefined ? {} : { seed }) };
  if (action.form === "last good") await create(Pod, member, buildPod(seen.goodForm ?? seen.form, input));
  else await unlessRefused(turn, version, async () => await create(Pod, member, buildPod(seen.form, input)));
}

/** All is well: this is the form to come back to, and there is nothing to try. */
export async function keepForm({ apply, remove, seen }: Turn): Promise<void> {
  const { name, form, wanted } = seen;
  await remove(PodTemplate, trialName(name));
  const version = targetVersion(viewOf(seen));
  const member = `${name}-0`;
  const isProven = seen.pods.length > 0 && seen.pods.every((pod) => pod.print === wanted.printOf(pod.version));
  if (!isProven) return;
  await apply(PodTemplate, formName(name), {
    metadata: { labels: clusterLabels(name), annotations: { [FORM_ANNOTATION]: formatForm(form) } },
    template: buildPod(form, { member, boot: "live", version, peers: [] }),
  });
}

/** A form that cannot be had is written down, so that nobody waits for it. */
async function unlessRefused({ seen, status }: Turn, version: string, make: () => Promise<unknown>): Promise<void> {
  try {
    await make();
    status.formRefused = undefined;
  } catch (error) {
    if (isImpossible(error))
      status.formRefused = {
        print: printOf(seen.form, version),
        why: refusalWords(error),
        at: formatTimestamp(seen.now),
      };
    throw error;
  }
}
