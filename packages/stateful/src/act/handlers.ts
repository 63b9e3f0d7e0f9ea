/** One handler for each action. Each does one thing that can be repeated, so that a reconcile after a crash continues. */
import { requeue } from "@capstan/runtime";
import { PersistentVolumeClaim, Pod } from "@capstan/kinds/v1";
import { keepAccounts } from "../accounts/keep.ts";
import { resolveAgentImage } from "../agent-image.ts";
import { seedHash, seedParts } from "../backup/seed.ts";
import type { Action } from "../cluster/action.ts";
import { volumeTarget } from "../decide/volumes.ts";
import { claimName, hostOf, keysOf } from "../pods/names.ts";
import { AUTHORITY_PATH, buildPod, DATA_PATH, startAnnotations } from "../pods/pod.ts";
import { volumeClaim } from "../pods/services.ts";
import { formatTime } from "./context.ts";
import type { ActionContext, Handler } from "./context.ts";
import { changeMember, toEntry, writeMembers } from "./record.ts";

const nextStep = requeue("50ms", { reason: "one step at a time" });

/** A handler for each action: the type requires them all. */
export type Handlers<C extends AsyncDisposable, P> = { readonly [D in Action["do"]]: Handler<C, P, D> };

export function handlers<C extends AsyncDisposable, P>(): Handlers<C, P> {
  return {
    rest: () => requeue("1s", { reason: "the primary is checked" }),
    wait: ({ action }) => requeue(action.isShort ? "50ms" : "500ms", { reason: `waiting for ${action.for}` }),
    refuse: ({ action, event }) => {
      event("Warning", action.reason, action.why);
      return requeue("1s", { reason: action.why });
    },
    ...recordHandlers<C, P>(),
    ...podHandlers<C, P>(),
    ...replicationHandlers<C, P>(),
    ...leadershipHandlers<C, P>(),
    ...restoreHandlers<C, P>(),
  };
}

function restoreHandlers<C extends AsyncDisposable, P>() {
  return {
    "begin-restore": ({ status, seen, action, event }) => {
      const { recorded } = seen;
      const { uid, name, member } = action;
      const former = recorded.members.map(toEntry);
      status.restore = { uid, name, former, primary: recorded.primary ?? "", lineage: recorded.lineage ?? "" };
      status.lineage = uid;
      status.created = false;
      status.primary = member;
      status.epoch = recorded.epoch + 1;
      status.nextSerial = recorded.nextSerial + 1;
      status.acknowledgements = 0;
      writeMembers(status, [{ name: member, state: "Joined" }]);
      event("Warning", "RestoreBegins", `all data is replaced by the restore ${name}`);
      return nextStep;
    },
    "end-restore": ({ status, seen, event }) => {
      const { restore } = seen.recorded;
      if (restore === undefined) return nextStep;
      status.lastRestore = { uid: restore.uid, name: restore.name, at: formatTime(seen.now) };
      status.handledRestore = restore.uid;
      status.created = true;
      status.restore = undefined;
      event("Normal", "Restored", `the data of the restore ${restore.name} is served`);
      return nextStep;
    },
    "return-to-former": ({ status, seen, event }) => {
      const { restore, epoch } = seen.recorded;
      if (restore === undefined) return nextStep;
      status.lineage = restore.lineage;
      status.primary = restore.primary;
      status.created = true;
      status.epoch = epoch + 1;
      status.acknowledgements = 0;
      status.handledRestore = restore.uid;
      status.restore = undefined;
      writeMembers(
        status,
        restore.former.map(({ name, state }) => ({ name, state })),
      );
      event("Warning", "RestoreRolledBack", `the restore ${restore.name} was taken back: the former data is served`);
      return nextStep;
    },
  } satisfies Partial<Handlers<C, P>>;
}

function recordHandlers<C extends AsyncDisposable, P>() {
  return {
    "record-creation": ({ status, seen, action, event }) => {
      status.lineage = seen.recorded.lineage ?? seen.object.metadata.uid;
      status.primary = action.member;
      status.epoch = 1;
      status.nextSerial = seen.recorded.nextSerial + 1;
      status.acknowledgements = 0;
      writeMembers(status, [{ name: action.member, state: "Joined" }]);
      event("Normal", "Creating", `${action.member} creates the data`);
      return nextStep;
    },
    "record-created": ({ status }) => {
      status.created = true;
      return nextStep;
    },
    "record-member": ({ status, seen, action, event }) => {
      status.nextSerial = seen.recorded.nextSerial + 1;
      writeMembers(status, [...seen.recorded.members.map(toEntry), { name: action.member, state: "Joining" }]);
      event("Normal", "MemberAdded", `${action.member} joins`);
      return nextStep;
    },
    admit: ({ status, seen, action }) => {
      writeMembers(status, changeMember(seen.recorded.members, action.member, { state: "Joined" }));
      return nextStep;
    },
    "mark-leaving": ({ status, seen, action, event }) => {
      writeMembers(
        status,
        changeMember(seen.recorded.members, action.member, { state: "Leaving", syncedRun: undefined }),
      );
      event("Normal", "MemberLeaves", `${action.member} leaves: ${action.why}`);
      return nextStep;
    },
    forget: ({ status, seen, action, event }) => {
      writeMembers(status, seen.recorded.members.filter(({ name }) => name !== action.member).map(toEntry));
      event("Normal", "MemberRemoved", `${action.member} left`);
      return nextStep;
    },
    "record-sync": ({ status, seen, action }) => {
      const { runs, acknowledgements } = action;
      const synced = seen.recorded.members.map((member) => ({
        ...member,
        syncedRun: runs[member.name] ?? member.syncedRun,
      }));
      writeMembers(status, synced.map(toEntry));
      status.acknowledgements = acknowledgements;
      return nextStep;
    },
    "record-growth": ({ status, seen, action, event }) => {
      status.volumes = { size: String(action.bytes), grewAt: formatTime(seen.now), why: action.why };
      event("Normal", "VolumesGrow", `${action.why}: all volumes grow to ${Math.ceil(action.bytes / 2 ** 20)} MiB`);
      return nextStep;
    },
    "lower-acknowledgements": ({ status, action }) => {
      status.acknowledgements = action.count;
      return nextStep;
    },
  } satisfies Partial<Handlers<C, P>>;
}

/** The data that the first member begins with, if the spec gives any. */
function seedOf<C extends AsyncDisposable, P>({ seen, get, setting }: ActionContext<C, P>) {
  const { seedSource: source, template, namespace, name } = seen;
  if (source === undefined) return undefined;
  const agentImage = source.server === undefined ? resolveAgentImage(get as never, setting.environment.agentImage) : "";
  const { version, port } = template;
  const parts = seedParts({ source, agentImage, cluster: { namespace, name }, version, port, dataPath: DATA_PATH });
  return { parts, hash: seedHash(source) };
}

async function applyClaim<C extends AsyncDisposable, P>(
  { apply, seen, setting }: ActionContext<C, P>,
  member: string,
): Promise<void> {
  const { name, object } = seen;
  const { storage } = object.spec;
  const target = volumeTarget(seen);
  const claim = volumeClaim(setting.naming, {
    cluster: name,
    member,
    uid: object.metadata.uid,
    size: target > seen.desired.volumeBytes ? String(target) : String(storage.size),
    className: storage.className,
  });
  await apply(PersistentVolumeClaim, claimName(member), claim, { owned: storage.onDelete === "Delete" });
}

function podHandlers<C extends AsyncDisposable, P>() {
  return {
    "create-volume": async (context) => {
      await applyClaim(context, context.action.member);
      return nextStep;
    },
    "grow-volume": async (context) => {
      const { action, seen, setting, event } = context;
      try {
        await applyClaim(context, action.member);
        event("Normal", "VolumeGrows", `the volume of ${action.member} grows`);
      } catch (error) {
        const cause = error instanceof Error ? error.message : String(error);
        const why = `the volume of ${action.member} cannot grow: ${cause.split("\n")[0]}`;
        setting.refusals.set(seen.object.metadata.uid, { at: setting.environment.steady(), why });
        event("Warning", "VolumeRejected", why);
      }
      return nextStep;
    },
    "create-pod": async (context) => {
      const { create, seen, action, event } = context;
      const seed = action.boot === "create" ? seedOf(context) : undefined;
      const areDonorsSecured = action.donors.every((donor) => seen.secured.has(donor));
      await create(Pod, action.member, buildPod(seen.template, { ...action, seed, areDonorsSecured }));
      const { image, version } = seen.template;
      event("Normal", "MemberStarts", `${action.member} starts with ${image.replaceAll("{version}", version)}`);
      return nextStep;
    },
    "delete-pod": async ({ remove, action, event }) => {
      event("Normal", "MemberStops", `${action.member} is stopped: ${action.why}`);
      await remove(Pod, action.member, action.isKilled ? { grace: "1s" } : {});
      return nextStep;
    },
    "delete-volume": async ({ remove, action, event }) => {
      event("Normal", "VolumeDeleted", `the volume of ${action.member} is deleted: ${action.why}`);
      await remove(PersistentVolumeClaim, claimName(action.member));
      return nextStep;
    },
    "set-role": async ({ apply, setting, action, seen }) => {
      const { serves: key } = keysOf(setting.naming);
      const boot = seen.pods.find(({ member }) => member === action.member)?.boot ?? "run";
      const annotations = startAnnotations(setting.naming, { boot, role: action.role });
      // Server-side apply removes the label if it is left out.
      const labels = action.serves === "none" ? {} : { [key]: action.serves };
      await apply(Pod, action.member, { metadata: { labels, annotations } });
      return nextStep;
    },
    "set-run": async ({ apply, setting, action, seen }) => {
      const { serves: key } = keysOf(setting.naming);
      const serves = seen.pods.find(({ member }) => member === action.member)?.serves ?? "none";
      const annotations = startAnnotations(setting.naming, { boot: "run", role: action.role });
      await apply(Pod, action.member, {
        metadata: { labels: serves === "none" ? {} : { [key]: serves }, annotations },
      });
      return nextStep;
    },
  } satisfies Partial<Handlers<C, P>>;
}

function replicationHandlers<C extends AsyncDisposable, P>() {
  return {
    follow: async ({ seen, setting, status, action, signal, event }) => {
      const client = await seen.clients.to(action.member);
      signal.throwIfAborted();
      const host = hostOf({ cluster: seen.name, namespace: seen.namespace }, action.primary);
      const { port, topology } = setting.application;
      const isSecured = seen.secured.has(action.member) && seen.secured.has(action.primary);
      const authority = isSecured ? AUTHORITY_PATH : undefined;
      await topology.follow(client, { host, port, password: seen.accounts.replicationPassword, authority });
      event("Normal", "Follows", `${action.member} replicates from ${action.primary}`);
      const login = seen.desired.replicationLogin;
      const recorded = seen.recorded.members.find(({ name }) => name === action.member);
      if (recorded?.login !== login)
        writeMembers(status, changeMember(seen.recorded.members, action.member, { login }));
      return nextStep;
    },
    "apply-settings": async ({ seen, setting, status, action, event }) => {
      const client = await seen.clients.to(action.member);
      for (const [name, value] of Object.entries(seen.liveSettings)) {
        // A value that the server refuses must not be tried again without end, nor keep the others from being set.
        await setting.application.settings.set(client, name, value).catch((error: unknown) => {
          const why = error instanceof Error ? error.message : String(error);
          event("Warning", "SettingRefused", `${action.member} refuses ${name}=${value}: ${why}`);
        });
      }
      writeMembers(status, changeMember(seen.recorded.members, action.member, { settings: action.settings }));
      return nextStep;
    },
    "keep-accounts": async (context) => {
      const { setting, seen } = context;
      setting.attempts.set(seen.object.metadata.uid, setting.environment.steady());
      await keepAccounts(context);
      return nextStep;
    },
    "set-acknowledgements": async ({ seen, setting, action, signal }) => {
      const client = await seen.clients.to(action.member);
      signal.throwIfAborted();
      await setting.application.topology.setAcknowledgements(client, action.count);
      return nextStep;
    },
    fence: async ({ seen, setting, action, signal }) => {
      const fence = async (member: string): Promise<void> => {
        const client = await seen.clients.to(member);
        signal.throwIfAborted();
        await setting.application.topology.fence(client);
      };
      await Promise.allSettled(action.members.map(fence));
      return nextStep;
    },
  } satisfies Partial<Handlers<C, P>>;
}

function leadershipHandlers<C extends AsyncDisposable, P>() {
  return {
    promote: async ({ seen, setting, action, signal, event }) => {
      const client = await seen.clients.to(action.member);
      signal.throwIfAborted();
      await setting.application.topology.promote(client, { acknowledgements: action.acknowledgements });
      event("Normal", "Promoted", `${action.member} accepts writes, epoch ${seen.recorded.epoch}`);
      return nextStep;
    },
    freeze: async ({ seen, setting, action, signal }) => {
      const { topology, report } = setting.application;
      const [from, to] = [await seen.clients.to(action.from), await seen.clients.to(action.to)];
      signal.throwIfAborted();
      await topology.freeze(from);
      await topology.waitFor(to, (await report(from)).applied);
      return requeue("1ms", { reason: "the primary is frozen" });
    },
    appoint: ({ status, seen, action, event }) => {
      const { member, from, mayBeLost } = action;
      const { recorded } = seen;
      status.primary = member;
      status.epoch = recorded.epoch + 1;
      status.acknowledgements = 0;
      writeMembers(
        status,
        recorded.members.map(({ name, state }) => ({ name, state })),
      );
      if (recorded.failover !== undefined) {
        status.lastFailover = { from, to: member, at: formatTime(seen.now), ...(mayBeLost ? { mayBeLost } : {}) };
        event(
          "Warning",
          "Failover",
          `${member} takes over from ${from}${mayBeLost ? `; may be lost: ${mayBeLost}` : ""}`,
        );
      } else event("Normal", "Switchover", `${member} takes over from ${from}`);
      status.failover = undefined;
      status.switchover = undefined;
      return requeue("1ms", { reason: "the new primary is promoted" });
    },
    ...failoverHandlers<C, P>(),
  } satisfies Partial<Handlers<C, P>>;
}

function failoverHandlers<C extends AsyncDisposable, P>() {
  return {
    "begin-failover": ({ status, seen, action, event }) => {
      status.failover = {
        from: action.from,
        began: formatTime(seen.now),
        why: action.why,
        ...(action.isIsolated ? { isolated: true } : {}),
      };
      event("Warning", "FailoverBegins", action.why);
      return requeue("1ms", { reason: "followers are fenced" });
    },
    "cancel-failover": ({ status, action, event }) => {
      status.failover = undefined;
      event("Normal", "FailoverCancelled", action.why);
      return nextStep;
    },
    "begin-switchover": ({ status, seen, action }) => {
      status.switchover = { to: action.to, began: formatTime(seen.now), why: action.why };
      status.failedSwitchover = undefined;
      if (action.request !== undefined) status.handledRequest = action.request;
      return requeue("1ms", { reason: "the primary is frozen" });
    },
    "cancel-switchover": ({ status, seen, action, event }) => {
      const { recorded, desired } = seen;
      status.failedSwitchover = { to: recorded.switchover?.to ?? "", generation: desired.generation, why: action.why };
      status.switchover = undefined;
      event("Warning", "SwitchoverCancelled", action.why);
      return nextStep;
    },
  } satisfies Partial<Handlers<C, P>>;
}
