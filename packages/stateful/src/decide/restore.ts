/**
 * A restore in place: the members stop, a new first member begins with the backup, and the former volumes stay until it serves. Until
 * then the way back is open: without the request, the former members start again with their data.
 */
import type { Action } from "../cluster/action.ts";
import type { View } from "./view.ts";

/** Begins, ends or takes back a restore. Between that, the other rules create the new first member. */
export function decideRestore<P>(view: View<P>): Action | undefined {
  const { seen } = view;
  const { recorded, restoreRequest } = seen;
  if (recorded.restore !== undefined) return continueRestore(view, recorded.restore);
  if (restoreRequest === undefined || restoreRequest.uid === recorded.handledRestore) return undefined;
  const isBusy = recorded.failover !== undefined || recorded.switchover !== undefined;
  if (!recorded.isCreated || isBusy || seen.desired.size === 0) return undefined;
  return { do: "begin-restore", member: `${seen.name}-${recorded.nextSerial}`, ...restoreRequest };
}

type Restore = NonNullable<View<unknown>["seen"]["recorded"]["restore"]>;

function continueRestore<P>(view: View<P>, restore: Restore): Action | undefined {
  const { seen, primary } = view;
  const isServing = primary?.isOurs === true && primary.pod?.isReady === true && primary.report?.acceptsWrites === true;
  if (isServing) return endRestore(view, restore);
  if (seen.restoreRequest?.uid !== restore.uid) return returnToFormer(view);
  return stopFormer(view, restore);
}

/** Clients must not write to data that is about to be replaced. A pod on a lost node serves no one. */
function stopFormer<P>({ seen }: View<P>, { former }: Restore): Action | undefined {
  const pods = seen.pods.filter(({ member, isNodeLost }) => former.some(({ name }) => name === member) && !isNodeLost);
  const running = pods.find(({ state }) => state !== "stopping");
  if (running !== undefined)
    return { do: "delete-pod", member: running.member, why: "its data is replaced", isKilled: false };
  return pods.length === 0 ? undefined : { do: "wait", for: "the former members to stop", isShort: true };
}

function endRestore<P>({ seen }: View<P>, { former }: Restore): Action {
  const volume = seen.volumes.find(
    ({ member, state }) => state !== "stopping" && former.some(({ name }) => name === member),
  );
  if (volume !== undefined) return { do: "delete-volume", member: volume.member, why: "the restored data is served" };
  return { do: "end-restore" };
}

/** The new member is removed before the former ones start: never two with one Service. */
function returnToFormer<P>({ seen, members }: View<P>): Action {
  for (const { name, pod, volume } of members) {
    if (pod !== undefined && pod.state !== "stopping") {
      return { do: "delete-pod", member: name, why: "the restore was taken back", isKilled: true };
    }
    if (pod !== undefined) return { do: "wait", for: `${name} to stop`, isShort: true };
    if (volume !== undefined && volume.state !== "stopping") {
      return { do: "delete-volume", member: name, why: "the restore was taken back" };
    }
  }
  return seen.recorded.restore === undefined ? { do: "rest" } : { do: "return-to-former" };
}
