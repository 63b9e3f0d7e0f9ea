/** The same rules, followed further: all orders of a few writes, crashes, cuts and lost volumes. */
import { test } from "node:test";
import { modelSuite } from "../../src/testing/index.ts";
import { store } from "./store.ts";

for (const { title, run } of modelSuite(store, { worlds: 200_000 })) test(title, run);

for (const count of [0, 2]) {
  const topology = { ...store.topology, acknowledgements: (size: number) => Math.min(count, size - 1) };
  const suite = modelSuite({ topology }, { worlds: 60_000 });
  for (const { title, run } of suite) test(`${count} acknowledgements: ${title}`, run);
}
