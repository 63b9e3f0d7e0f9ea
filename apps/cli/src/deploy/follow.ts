/** Follows a roll-out until it is done, and collects what explains a failure: events and logs. */
import { type Client, isApiError } from "@capstan/client";
import { Deployment, ReplicaSet } from "@capstan/kinds/apps/v1";
import { Event, Pod } from "@capstan/kinds/v1";
import { until } from "../lifecycle/wait.ts";
import { newestPods, type Rollout, rolloutOf, type Seen } from "./rollout.ts";

/** Which Deployment, and how long. */
export interface Followed {
  readonly client: Client;
  readonly namespace: string;
  readonly name: string;
  readonly seconds: number;
  /** Called with each new state while the roll-out is under way. */
  readonly report: (text: string) => void;
}

/** The last state: available, failed, or still waiting when the time is over. */
export async function followRollout(followed: Followed): Promise<Rollout> {
  let last = "";
  const look = async (): Promise<Rollout> => {
    const state = rolloutOf(await see(followed));
    if (state.is === "waiting" && state.text !== last) followed.report((last = state.text));
    return state;
  };
  return until(look, { holds: ({ is }) => is !== "waiting", seconds: followed.seconds });
}

async function see({ client, namespace, name }: Omit<Followed, "seconds" | "report">): Promise<Seen> {
  const deployment = await client.get(Deployment, { namespace, name });
  const labels = deployment.spec?.selector.matchLabels ?? {};
  const labelSelector = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
  const [replicaSets, pods] = await Promise.all([
    Array.fromAsync(client.list(ReplicaSet, { namespace, labelSelector })),
    Array.fromAsync(client.list(Pod, { namespace, labelSelector })),
  ]);
  return { deployment, replicaSets, pods };
}

/** Lines with the events and the last logs of the newest pods, and the events of the Deployment. */
export async function explainRollout(followed: Omit<Followed, "seconds" | "report">): Promise<readonly string[]> {
  const { client, namespace, name } = followed;
  const seen = await see(followed);
  const pods = newestPods(seen);
  const names = new Set([name, ...[...seen.replicaSets, ...pods].map(({ metadata }) => metadata.name)]);
  const events = (await Array.fromAsync(client.list(Event, { namespace })))
    .filter(({ type, involvedObject }) => type === "Warning" && names.has(involvedObject.name ?? ""))
    .map(({ reason, message, involvedObject: { kind, name: of } }) => `  ${reason} ${kind} ${of}: ${message}`);
  const logs = await Promise.all(pods.map((pod) => logOf(client, pod)));
  return [...(events.length === 0 ? [] : ["events:", ...new Set(events)]), ...logs.flat()];
}

const LINES = 20;

/** The end of the log of a pod; that of the container before, if the present one has none yet. */
async function logOf(client: Client, { metadata }: Pod): Promise<readonly string[]> {
  const { namespace = "", name } = metadata;
  const read = async (previous: boolean): Promise<string> => {
    try {
      return await client.logs({ namespace, name, tailLines: LINES, previous }).text();
    } catch (error) {
      // A container that never started has no log.
      if (isApiError(error, "BadRequest") || isApiError(error, "NotFound")) return "";
      throw error;
    }
  };
  const text = (await read(false)).trim() || (await read(true)).trim();
  return text === "" ? [] : [`log of ${name}:`, ...text.split("\n").map((line) => `  ${line}`)];
}
