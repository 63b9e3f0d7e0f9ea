/** What harms look at. */
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

/** Whether none of them is a member any more. */
export async function isReplaced(scene: Scene, former: readonly string[]): Promise<boolean> {
  const members = await memberNames(scene);
  return members.length > 0 && !members.some((member) => former.includes(member));
}

/** How the operator finds a member. */
export async function healthOf(scene: Scene, member: string): Promise<string | undefined> {
  return (await scene.cluster()).status?.members?.find(({ name }) => name === member)?.health;
}

/** The leader, as the operator tells it. */
export async function leaderOf(scene: Scene): Promise<string> {
  return await scene.until("somebody leads", async () => (await scene.cluster()).status?.leader);
}

/** The leader by its own word: what the operator tells is from its last look, and it moves the leader while it makes members anew. */
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
    // It is being made anew.
    return false;
  }
}

/** The reason that the operator gives for a condition. */
export async function reasonOf(scene: Scene, type: string): Promise<string | undefined> {
  return (await scene.cluster()).status?.conditions?.find((condition) => condition.type === type)?.reason;
}

/** The operator's words for a condition. */
export function messageOf(
  conditions: readonly { readonly type: string; readonly message?: string }[] | undefined,
  type: string,
): string {
  return conditions?.find((condition) => condition.type === type)?.message ?? "";
}

/** Whether a node is heard of. */
export async function isNodeReady(scene: Scene, node: string): Promise<boolean> {
  const found = (await scene.kube.get(`/api/v1/nodes/${node}`)) as PodSeen | undefined;
  return found?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;
}
