/** Kills an operator before each of its writes, one per run: wherever it crashes, the world must end as without a crash. */
import assert from "node:assert/strict";
import { RuntimeError } from "../errors.ts";
import { messageOf } from "../failure.ts";
import type { Operator } from "../operator.ts";
import { formatFailures } from "./failures.ts";
import { changesOf, differencesOf, formatDifferences, shapeOf } from "./picture.ts";
import type { Picture } from "./picture.ts";
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
 * The number of survived crashes.
 *
 * @example
 * const report = ({ crashes }: Survived) => `survived ${crashes} crashes`;
 */
export interface Survived {
  readonly crashes: number;
}

/** Opens a world whose random values follow from a seed, as far as the world can choose them. */
export type OpenWorld = (seed: number) => Promise<TestWorld>;

/** The place of the crash of a run: before a write, after the end of the story, or nowhere. */
type Place = { readonly before: number } | "at the end" | "nowhere";

/** The result of one run of a scenario. */
interface Told {
  readonly end: Picture;
  /** The end before the restart of a run that crashes at the end. */
  readonly before: Picture;
  readonly writes: number;
  readonly hasCrashed: boolean;
  /** The last failures, as text. */
  readonly failures: string;
}

/**
 * Runs a scenario twice without a crash, which shows the values that are random, and then once for each write of the operator, Events
 * included, which crashes right before it and restarts. A last run crashes when everything is done. Throws at the first crash after which
 * the operator's objects, its children, or the scenario's return value differ from the undisturbed run.
 */
export async function crashEverywhere(
  app: Operator | (() => Operator),
  openWorld: OpenWorld,
  story: Story,
): Promise<Survived> {
  const { definition } = typeof app === "function" ? app() : app;
  const tell = (place: Place, seed: number): Promise<Told> =>
    tellStory({ story, place, openWorld: () => openWorld(seed), picture: (world) => takePicture(world, definition) });
  const undisturbed = await tell("nowhere", 1);
  const shape = shapeOf(undisturbed.end, (await tell("nowhere", 2)).end);
  const mustBeSame = ({ end, failures }: Told, what: string): void => {
    const differences = formatDifferences(differencesOf(shape, undisturbed.end, end));
    if (differences !== "") assert.fail(`a crash ${what} leads to another end${failures}${differences}`);
  };
  let crashes = 0;
  for (let nth = 1; nth <= undisturbed.writes; nth++) {
    const what = `before write ${nth} of ${undisturbed.writes}`;
    const told = await tell({ before: nth }, 1).catch((error: unknown) => {
      throw storyFailed(what, error);
    });
    mustBeSame(told, what);
    if (told.hasCrashed) crashes++;
  }
  const restarted = await tell("at the end", 1);
  const changes = formatDifferences(changesOf(shape, restarted.before, restarted.end));
  if (changes !== "") assert.fail(`a restart changes what was done${restarted.failures}${changes}`);
  mustBeSame(restarted, "after the last write");
  return { crashes };
}

interface Run {
  readonly story: Story;
  readonly place: Place;
  readonly openWorld: () => Promise<TestWorld>;
  readonly picture: (world: TestWorld) => Promise<Omit<Picture, "returned">>;
}

async function tellStory({ story, place, openWorld, picture }: Run): Promise<Told> {
  await using world = await openWorld();
  const begun = world.attempts;
  let hasCrashed = false;
  if (typeof place === "object") world.crashBeforeWrite(place.before, () => (hasCrashed = true));
  const returned = await story(world);
  // After a crash, a different end is reported together with the failures.
  await world.settle(place === "nowhere" ? {} : { failures: "expected" });
  const writes = world.attempts - begun;
  const before = { returned, ...(await picture(world)) };
  if (place === "at the end") await crashAtEnd(world);
  const end = place === "at the end" ? { returned, ...(await picture(world)) } : before;
  return { end, before, writes, hasCrashed, failures: formatFailures(world.failures) };
}

async function crashAtEnd(world: TestWorld): Promise<void> {
  if (world.isStarted) await world.crash();
  world.restart();
  await world.settle({ failures: "expected" });
}

/** A story that fails only after a crash is a finding, too. */
function storyFailed(what: string, error: unknown): Error {
  if (error instanceof assert.AssertionError) {
    error.message = `after a crash ${what}: ${error.message}`;
    return error;
  }
  return new RuntimeError("StillFailing", `The story fails after a crash ${what}: ${messageOf(error)}`, {
    cause: error,
  });
}
