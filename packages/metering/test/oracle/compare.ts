/** Compares metering with the oracle on one random world. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Store, draftInvoices, importUsage, openFolderStore, parseBook, runReport } from "../../src/index.ts";
import { periodAt } from "./calendar.ts";
import { invoicesOf } from "./invoices.ts";
import { type Asked, reportOf } from "./oracle.ts";
import { type Dice, type World, bookText, diceOf, worldOf } from "./world.ts";

/** Opens an empty store. */
export type Opener = (leastSummed: number) => Promise<Store>;

/** A folder store that is removed when it is closed. */
export async function openTemporaryStore(leastSummed: number): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), "oracle-"));
  const store = await openFolderStore(folder, { lock: { pid: process.pid }, leastSummed });
  const close = store[Symbol.asyncDispose].bind(store);
  store[Symbol.asyncDispose] = async () => {
    await close();
    await rm(folder, { recursive: true });
  };
  return store;
}

/** What a world says must be what metering says, to the last digit. */
export async function compareWorld(seed: number, open: Opener = openTemporaryStore): Promise<void> {
  const dice = diceOf(seed);
  const world = worldOf(dice);
  const book = parseBook(bookText(world));
  await using store = await open(dice.pick([0, 0, 20_000]));
  const now = Date.UTC(2026, 6, 1);
  async function* inputs() {
    for (const [at, value] of world.records.entries()) yield { where: `world:${at + 1}`, value };
  }
  const batch = dice.pick([1, 3, 50_000]);
  const { problems } = await importUsage(inputs(), { store, book, batch, source: "usage", now });
  const refused = new Set(problems.map(({ id }) => id));
  const known: World = { ...world, records: world.records.filter(({ id }) => !refused.has(id)) };
  for (let round = 0; round < 3; round++) {
    const asked = askedOf(dice, known);
    const { where, tenant, from, to, bucket, by, split, zone } = asked;
    const { json } = await runReport(store, book, {
      window: { from, to },
      bucket,
      by,
      meters: [],
      timeZone: zone,
      ...(tenant !== undefined && { tenant }),
      where: new Map(where === undefined ? [] : [[where[0], [where[1]]]]),
      idle: "show",
      shared: split ? "split" : "show",
      withCost: true,
    });
    const wanted = reportOf(known, asked);
    assert.deepEqual(json.rows, wanted.rows, `seed ${seed}: ${JSON.stringify(asked)}`);
    assert.deepEqual(json.total, wanted.total, `seed ${seed}: ${JSON.stringify(asked)}`);
  }
  const period = periodAt("UTC", world.ratingPeriod, Date.UTC(2026, 1, 22) + dice.below(60) * 86_400_000).name;
  const drafts = await draftInvoices(store, book, { period, now });
  assert.deepEqual(drafts, invoicesOf(known, period), `seed ${seed}: invoices of ${period}`);
}

function askedOf(dice: Dice, world: World): Asked {
  const zone = dice.pick([world.timeZone, "Europe/Berlin", "Australia/Lord_Howe", "America/New_York"]);
  const bucket = dice.pick(["hour", "day", "week", "month", "total"] as const);
  const day = (offset: number): number =>
    Date.UTC(2026, 1, 18) + offset * 86_400_000 + dice.pick([0, 1, 3_600_000, 45_296_789]);
  const from = day(dice.below(50));
  const to = from + (bucket === "hour" ? 4 : 40) * 86_400_000 + dice.pick([0, 1, 12_345]);
  const split = dice.chance(40) && world.shared.length > 0;
  const by = split
    ? dice.pick([["tenant"], ["namespace"], ["tenant", "version"], ["namespace", "tenant"]])
    : dice.pick([[], ["tenant"], ["namespace"], ["path", "version"], ["namespace", "tenant", "user"]]);
  return {
    from,
    to,
    zone,
    bucket,
    by,
    split,
    ...(dice.chance(30) && {
      where: dice.pick([["version", "x"] as const, ["namespace", "b"] as const, ["tenant", "acme"] as const]),
    }),
    ...(dice.chance(20) && { tenant: dice.pick(["acme", "b", "ünï"]) }),
  };
}
