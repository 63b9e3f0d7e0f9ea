/** The operator crashes before each of its writes in turn; each time the cluster must end as without a crash, with all its data. */
import assert from "node:assert/strict";
import { PersistentVolumeClaim, Pod } from "@capstan/kinds/v1";
import type { Application } from "../application.ts";
import type { TestCase } from "./case.ts";
import { MemoryWorld } from "./memory/world.ts";
import type { OpenWorld, WrittenSpec } from "./memory/world.ts";

/** Something that happens to a settled cluster of three members. */
interface Episode {
  readonly title: string;
  /** Where it starts; undefined: with nothing. */
  readonly from?: WrittenSpec;
  /** Undefined: for every application. */
  readonly isFor?: (application: Pick<Application<never, never>, "accounts">) => boolean;
  readonly happen: (world: MemoryWorld, version: string) => Promise<void>;
}

const EPISODES: readonly Episode[] = [
  { title: "a cluster is created", happen: (world, version) => world.apply({ size: 3, version }) },
  {
    title: "a killed primary is followed by another member",
    from: { size: 3 },
    happen: async (world) => {
      const { status } = await world.object();
      await world.kubelet.loseVolume(status?.primary ?? "");
      await world.world.delete(Pod, status?.primary ?? "");
      await world.until((now) => now.status?.primary !== status?.primary, "another member leads");
    },
  },
  {
    title: "a switchover",
    from: { size: 3 },
    happen: async (world, version) => {
      const { status } = await world.object();
      await world.apply({ size: 3, version, switchover: { request: "now" } });
      await world.until((now) => now.status?.primary !== status?.primary, "another member leads");
    },
  },
  { title: "a cluster grows", from: { size: 2 }, happen: (world, version) => world.apply({ size: 3, version }) },
  { title: "a cluster shrinks", from: { size: 3 }, happen: (world, version) => world.apply({ size: 2, version }) },
  {
    title: "passwords are rotated",
    from: { size: 3, accounts: { rotation: "before" } },
    isFor: ({ accounts }) => accounts !== undefined,
    happen: async (world, version) => {
      await world.apply({ size: 3, version, accounts: { rotation: "now", overlap: "5s" } });
      await world.until(
        ({ status }) =>
          status?.conditions?.some(({ type, reason }) => type === "AccountsReady" && reason === "Rotating") === true,
        "the new passwords are used",
      );
      await world.until(
        ({ status }) =>
          status?.conditions?.some(({ type, reason }) => type === "AccountsReady" && reason === "AsExpected") === true,
        "only the new passwords are accepted",
      );
    },
  },
  {
    title: "a cluster sleeps and wakes",
    from: { size: 2 },
    happen: async (world, version) => {
      await world.apply({ size: 0, version });
      await world.settle("all members stop");
      await world.apply({ size: 2, version });
    },
  },
];

/**
 * What a crash suite needs.
 *
 * @example
 * const options: CrashOptions = { openWorld: testOperator, crashes: 3 };
 */
export interface CrashOptions {
  /** `testOperator` of `capstan/testing`. */
  readonly openWorld: OpenWorld;
  /** Crashes of each episode, spread over its writes. Default: one before each write. */
  readonly crashes?: number;
}

/**
 * The cases: one for each episode. Members are in memory; the adapter's programs, settings, versions and acknowledgements are used.
 *
 * @example
 * const register = <C extends AsyncDisposable, P>(
 *   store: Application<C, P>,
 *   test: (title: string, run: () => Promise<void>) => void,
 * ) => {
 *   for (const { title, run } of crashSuite(store, { openWorld: testOperator })) test(title, run);
 * };
 */
export function crashSuite<C extends AsyncDisposable, P>(
  application: Application<C, P>,
  { openWorld, crashes }: CrashOptions,
): readonly TestCase[] {
  const episodes = EPISODES.filter(({ isFor }) => isFor?.(application as never) !== false);
  return episodes.map((episode) => ({
    title: `a crash before any write: ${episode.title}`,
    run: async () => {
      const undisturbed = await play(application, openWorld, { episode, nth: undefined });
      assert.ok(undisturbed.writes > 0, "the episode has no writes");
      for (const nth of placesOf(undisturbed.writes, crashes)) {
        const { end } = await play(application, openWorld, { episode, nth });
        assert.deepEqual(end, undisturbed.end, `a crash before write ${nth} of ${undisturbed.writes}`);
      }
    },
  }));
}

/** Numbers of writes, from the first to the last. */
function placesOf(writes: number, crashes = writes): readonly number[] {
  const count = Math.min(writes, Math.max(2, crashes));
  return Array.from({ length: count }, (_, at) => 1 + Math.round((at * (writes - 1)) / Math.max(1, count - 1)));
}

interface Run {
  readonly episode: Episode;
  /** The write before which the operator crashes. */
  readonly nth: number | undefined;
}

async function play<C extends AsyncDisposable, P>(
  application: Application<C, P>,
  openWorld: OpenWorld,
  { episode: { title, from, happen }, nth }: Run,
) {
  const version = application.versions.known.at(-1) ?? "";
  await using world = await MemoryWorld.open(application, openWorld);
  if (from !== undefined) {
    await world.apply({ version, ...from });
    await world.settle("the cluster is created");
    world.isWriting = true;
    await world.pass(2);
  }
  const before = world.world.attempts;
  if (nth !== undefined) world.world.crashBeforeWrite(nth);
  await happen(world, version);
  await world.settle(title);
  const writes = world.world.attempts - before;
  world.isWriting = false;
  await world.pass(2);
  world.assertWhole(title);
  return { end: await endOf(world), writes };
}

/** What must be the same: how many members, what they do, and that nothing is left over. */
async function endOf(world: MemoryWorld) {
  const { status } = await world.object();
  const count = async (kind: typeof Pod | typeof PersistentVolumeClaim): Promise<number> =>
    (await world.world.list(kind)).length;
  return {
    roles: status?.members?.map(({ role, health, state }) => `${role} ${health} ${state}`).toSorted(),
    conditions: status?.conditions?.map(({ type, status: holds, reason }) => `${type} ${holds} ${reason}`).toSorted(),
    pods: await count(Pod),
    claims: await count(PersistentVolumeClaim),
    acknowledgements: status?.acknowledgements,
  };
}
