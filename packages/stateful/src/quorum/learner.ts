/**
 * No voter is left, but a learner is. The application cannot continue as a single member with the data of a learner, because a learner does not
 * vote. But the learner provides a snapshot: that becomes a backup, and the cluster is bootstrapped from it if there is no newer one.
 */
import type { Action } from "./contract.ts";
import type { Member, View } from "./view.ts";

/** The action before a backup may replace data; undefined if no learner is ahead of the newest backup. */
export function backUpLearner(view: View, gone: string): Action | undefined {
  const learner = mostAdvancedLearner(view);
  if (learner?.talk === undefined) return undefined;
  const { revision } = learner.talk;
  const { seen } = view;
  const isSaved = seen.newestRevision !== undefined && seen.newestRevision >= revision;
  if (isSaved || revision <= EMPTY) return undefined;
  if (!seen.desired.hasStore || !seen.desired.recoversFromBackup) return refuse(seen, learner, gone);
  const name = `${seen.name}-saved-${learner.name}`;
  const guard = seen.snapshots[name];
  const why = `of ${learner.name}, a learner, which is all that is left (revision ${revision})`;
  if (guard === undefined) return { do: "take-snapshot", name, reason: "LearnerSaved", label: learner.name, why };
  return { do: "wait", for: `a backup ${why}${guard.is === "failing" ? `, which fails: ${guard.why}` : ""}` };
}

/** The revision of an empty database. */
const EMPTY = 1;

function mostAdvancedLearner({ learners, seen }: View): Member | undefined {
  const own = learners.filter(
    ({ talk, ruin }) => talk?.clusterId === seen.recordedState.clusterId && ruin === undefined,
  );
  return own.toSorted((one, other) => (other.talk?.revision ?? 0) - (one.talk?.revision ?? 0))[0];
}

function refuse({ application }: View["seen"], { name, talk }: Member, gone: string): Action {
  const why = `the data of ${gone} is gone, and ${name}, a learner, has everything up to revision ${talk?.revision}. ${application.name} cannot go on alone with the data of a learner: name a store in spec.backup (and leave spec.recovery.fromBackup true), then a backup of it is made and restored; or, only if that data is not needed, delete its volume and its pod (data-${name}, ${name})`;
  return { do: "refuse", reason: "QuorumLost", why };
}
