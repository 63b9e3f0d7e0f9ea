/** Observations that faults use. */
import type { KubeObject } from "../kube.ts";
import type { Scene } from "../scene.ts";

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

export interface PodSeen extends KubeObject {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly { readonly restartCount?: number }[];
  };
}

export async function podOf(scene: Scene, member: string): Promise<PodSeen | undefined> {
  return (await scene.kube.get(scene.path("pods", member))) as PodSeen | undefined;
}

export async function memberNames(scene: Scene): Promise<readonly string[]> {
  return (await scene.cluster()).status?.members?.map(({ name }) => name) ?? [];
}

/** Whether all of them have left the membership. */
export async function isReplaced(scene: Scene, former: readonly string[]): Promise<boolean> {
  const members = await memberNames(scene);
  return members.length > 0 && !members.some((member) => former.includes(member));
}

/** The health of a member in the cluster's status. */
export async function healthOf(scene: Scene, member: string): Promise<string | undefined> {
  return (await scene.cluster()).status?.members?.find(({ name }) => name === member)?.health;
}

/** The leader in the cluster's status. */
export async function leaderOf(scene: Scene): Promise<string> {
  return await scene.until("somebody leads", async () => (await scene.cluster()).status?.leader);
}

/** The leader as the member itself reports it: the status is older, and the operator moves the leader while it recreates members. */
export async function presentLeader(scene: Scene): Promise<string> {
  return await scene.until("somebody says that it leads", async () => {
    for (const member of await memberNames(scene)) if (await leads(scene, member)) return member;
    return undefined;
  });
}

async function leads(scene: Scene, member: string): Promise<boolean> {
  try {
    await using client = await scene.member(member);
    const { leader, memberId } = await client.maintenance.status({ timeoutMs: 2_000 });
    return leader === memberId;
  } catch {
    // The pod is being recreated.
    return false;
  }
}

/** The reason of a condition. */
export async function reasonOf(scene: Scene, type: string): Promise<string | undefined> {
  return (await scene.cluster()).status?.conditions?.find((condition) => condition.type === type)?.reason;
}

/** The message of a condition. */
export function messageOf(
  conditions: readonly { readonly type: string; readonly message?: string }[] | undefined,
  type: string,
): string {
  return conditions?.find((condition) => condition.type === type)?.message ?? "";
}

/** Whether a node is Ready. */
export async function isNodeReady(scene: Scene, node: string): Promise<boolean> {
  const found = (await scene.kube.get(`/api/v1/nodes/${node}`)) as PodSeen | undefined;
  return found?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;
}
