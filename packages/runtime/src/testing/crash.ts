/** Disturbs an operator at each of its writes, one per run: with a crash or a failure, the world must end as without one. */
import assert from "node:assert/strict";
import { RuntimeError } from "../errors.ts";
import { messageOf } from "../failure.ts";
import type { Operator } from "../operator.ts";
import { formatFailures } from "./failures.ts";
import { changesOf, differencesOf, formatDifferences, shapeOf } from "./picture.ts";
import type { Picture, Shape } from "./picture.ts";
import { errors } from "./faulty-api.ts";
import type { Fault } from "./faulty-api.ts";
import { takePicture } from "./take-picture.ts";
import type { TestWorld } from "./test-operator.ts";

/**
 * A scenario in a world: the actions of users, and waiting until it settles. Its return value is compared, too.
 *
 * @example
 * const story: Story = async (world) => {
 *   await world.apply(Memcached, "cache", { spec: { size: 3 } });
 *   await world.settle();
 * };
 * await crashEverywhere(app, story);
 */
export type Story = (world: TestWorld) => Promise<unknown>;

/**
 * What an operator has survived.
 *
 * @example
 * const report = ({ crashes, absences }: Survived) => `survived ${crashes} crashes, missed ${absences} changes`;
 */
export interface Survived {
  /** Crashes before a write. */
  readonly crashes: number;
  /** Crashes right after a write. */
  readonly crashesAfter: number;
  /** Actions of the test during which the operator was down. */
  readonly absences: number;
}

/**
 * What an operator has survived.
 *
 * @example
 * const report = ({ failures }: SurvivedFailures) => `survived ${failures} failures`;
 */
export interface SurvivedFailures {
  /** Writes that failed, or whose response was lost. */
  readonly failures: number;
}

/** Opens a world whose random values follow from a seed, as far as the world can choose them. */
export type OpenWorld = (seed: number) => Promise<TestWorld>;

/** The disturbance of a run: at a write, during an action of the test, after the end of the story, or none. */
interface Disturbance {
  /** For messages. */
  readonly what: string;
  /** Arranges for it; calls the function when it happens. */
  readonly arrange: (world: TestWorld, onHappen: () => void) => void;
  /** Whether the operator restarts at the end. */
  readonly restarts: boolean;
}

const none: Disturbance = { what: "nothing", arrange: () => undefined, restarts: false };

/** The result of one run of a scenario. */
interface Told {
  readonly end: Picture;
  /** The end before the restart of a run that crashes at the end. */
  readonly before: Picture;
  readonly writes: number;
  readonly actions: number;
  readonly hasHappened: boolean;
  /** The last failures, as text. */
  readonly failures: string;
}

/**
 * Runs a scenario twice without a crash, which shows the values that are random, and then twice for each write of the operator, Events
 * included, which crashes right before it, or right after it, and restarts. Further runs are down during one action of the test each: they miss its events. A
 * last run crashes when everything is done. Throws at the first crash after which the operator's objects, its children, or the scenario's
 * return value differ from the undisturbed run.
 */
export async function crashEverywhere(
  app: Operator | (() => Operator),
  openWorld: OpenWorld,
  story: Story,
): Promise<Survived> {
  const runs = await prepare(app, openWorld, story);
  const crashes = await disturb(runs, runs.writes, (nth) => crashBefore(nth, runs.writes));
  const crashesAfter = await disturb(runs, runs.writes, (nth) => crashAfter(nth, runs.writes));
  const absences = await disturb(runs, runs.actions, (nth) => downDuring(nth, runs.actions));
  const restarted = await runs.tell({ ...none, restarts: true }, 1);
  const changes = formatDifferences(changesOf(runs.shape, restarted.before, restarted.end));
  if (changes !== "") assert.fail(`a restart changes what was done${restarted.failures}${changes}`);
  runs.mustBeSame(restarted, "a crash after the last write");
  return { crashes, crashesAfter, absences };
}

/**
 * Runs a scenario twice without a failure, and then three times for each write of the operator, Events included: the write is rejected with
 * a conflict, rejected with an internal error, or executed while its response is lost. The end must be that of the undisturbed run.
 */
export async function failEverywhere(
  app: Operator | (() => Operator),
  openWorld: OpenWorld,
  story: Story,
): Promise<SurvivedFailures> {
  const runs = await prepare(app, openWorld, story);
  let failures = 0;
  for (const failure of writeFailures)
    failures += await disturb(runs, runs.writes, (nth) => failureOf(failure, nth, runs.writes));
  return { failures };
}

function crashBefore(nth: number, writes: number): Disturbance {
  const arrange = (world: TestWorld, onHappen: () => void): void => world.crashBeforeWrite(nth, onHappen);
  return { what: `a crash before write ${nth} of ${writes}`, arrange, restarts: false };
}

function crashAfter(nth: number, writes: number): Disturbance {
  const arrange = (world: TestWorld, onHappen: () => void): void => world.crashAfterWrite(nth, onHappen);
  return { what: `a crash right after write ${nth} of ${writes}`, arrange, restarts: false };
}

function downDuring(nth: number, actions: number): Disturbance {
  const arrange = (world: TestWorld, onHappen: () => void): void => world.beDownDuringAction(nth, onHappen);
  return { what: `being down during action ${nth} of ${actions} of the test`, arrange, restarts: false };
}

/** A failure of a write, and its name. */
type WriteFailure = readonly [what: string, fault: () => Fault];

const writeFailures: readonly WriteFailure[] = [
  ["a conflict at", () => ({ fault: "refuse", error: errors.conflict() })],
  ["an internal error at", () => ({ fault: "refuse", error: errors.internal() })],
  ["a lost response to", () => ({ fault: "lose the answer" })],
];

function failureOf([what, fault]: WriteFailure, nth: number, writes: number): Disturbance {
  const arrange = (world: TestWorld, onHappen: () => void): void => {
    world.disturbWrite(nth, () => {
      onHappen();
      return fault();
    });
  };
  return { what: `${what} write ${nth} of ${writes}`, arrange, restarts: false };
}

/** What all runs of a scenario share. */
interface Runs {
  readonly tell: (disturbance: Disturbance, seed: number) => Promise<Told>;
  readonly mustBeSame: (told: Told, what: string) => void;
  readonly shape: Shape;
  readonly writes: number;
  readonly actions: number;
}

/** Runs a scenario undisturbed. */
async function prepare(app: Operator | (() => Operator), openWorld: OpenWorld, story: Story): Promise<Runs> {
  const { definition } = typeof app === "function" ? app() : app;
  const tell = (disturbance: Disturbance, seed: number): Promise<Told> =>
    tellStory({
      story,
      disturbance,
      openWorld: () => openWorld(seed),
      picture: (world) => takePicture(world, definition),
    });
  const undisturbed = await tell(none, 1);
  const shape = shapeOf(undisturbed.end, (await tell(none, 2)).end);
  const mustBeSame = ({ end, failures }: Told, what: string): void => {
    const differences = formatDifferences(differencesOf(shape, undisturbed.end, end));
    if (differences !== "") assert.fail(`${what} leads to another end${failures}${differences}`);
  };
  return { tell, mustBeSame, shape, writes: undisturbed.writes, actions: undisturbed.actions };
}

/** Runs a scenario once for each place of a disturbance; returns how many happened. */
async function disturb(runs: Runs, places: number, disturbance: (nth: number) => Disturbance): Promise<number> {
  let happened = 0;
  for (let nth = 1; nth <= places; nth++) {
    const one = disturbance(nth);
    const told = await runs.tell(one, 1).catch((error: unknown) => {
      throw storyFailed(one.what, error);
    });
    runs.mustBeSame(told, one.what);
    if (told.hasHappened) happened++;
  }
  return happened;
}

interface Run {
  readonly story: Story;
  readonly disturbance: Disturbance;
  readonly openWorld: () => Promise<TestWorld>;
  readonly picture: (world: TestWorld) => Promise<Omit<Picture, "returned">>;
}

async function tellStory({ story, disturbance, openWorld, picture }: Run): Promise<Told> {
  await using world = await openWorld();
  const begun = { writes: world.attempts, actions: world.actions };
  let hasHappened = false;
  disturbance.arrange(world, () => (hasHappened = true));
  const returned = await story(world);
  // After a disturbance, a different end is reported together with the failures.
  await world.settle(disturbance === none ? {} : { failures: "expected" });
  const [writes, actions] = [world.attempts - begun.writes, world.actions - begun.actions];
  const before = { returned, ...(await picture(world)) };
  if (disturbance.restarts) await crashAtEnd(world);
  const end = disturbance.restarts ? { returned, ...(await picture(world)) } : before;
  return { end, before, writes, actions, hasHappened, failures: formatFailures(world.failures) };
}

async function crashAtEnd(world: TestWorld): Promise<void> {
  if (world.isStarted) await world.crash();
  world.restart();
  await world.settle({ failures: "expected" });
}

/** A story that fails only after a disturbance is a finding, too. */
function storyFailed(what: string, error: unknown): Error {
  if (error instanceof assert.AssertionError) {
    error.message = `after ${what}: ${error.message}`;
    return error;
  }
  return new RuntimeError("StillFailing", `The story fails after ${what}: ${messageOf(error)}`, {
    cause: error,
  });
}
