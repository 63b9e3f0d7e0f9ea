import { test } from "node:test";
import { crashSuite } from "../../src/testing/index.ts";
import { openWorld } from "./open-world.ts";
import { store } from "./store.ts";

for (const { title, run } of crashSuite(store, { openWorld, crashes: 3 })) test(title, run);
