/**
 * The member lists of responding members. Without quorum they complete the recorded one: a learner may have been promoted just before the
 * quorum was lost and before that was recorded, and may have the only copy of some data.
 */
import type { ListedMember } from "../contract.ts";
import type { MemberClients } from "./member-clients.ts";
import type { MemberReport } from "./query-members.ts";
import { toListed } from "./query-members.ts";

/** Asks members of this cluster for their local lists. */
export async function listFromMembers(
  clients: MemberClients,
  { answers }: Pick<MemberReport, "answers">,
  clusterId: string | undefined,
): Promise<readonly ListedMember[]> {
  const own = Object.entries(answers).filter(([, one]) => one.is === "talking" && one.clusterId === clusterId);
  const lists = own.map(async ([member]) => {
    try {
      const list = await clients.to(member)?.members.list({ local: true });
      return (list?.members ?? []).map(toListed);
    } catch {
      return [];
    }
  });
  return (await Promise.all(lists)).flat();
}
