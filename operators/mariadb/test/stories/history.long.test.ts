/** Transactions of several clients while the primary is lost: their history must be one of a strictly serializable database. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Pod } from "capstan/kinds/v1";
import { checkLists } from "capstan/stateful/testing";
import type { ListOperation, Transaction } from "capstan/stateful/testing";
import type { Sql } from "../../src/sql.ts";
import { Scene } from "./scene.ts";

const KEYS = ["x", "y", "z"] as const;
const CLIENTS = 3;

test("transactions stay strictly serializable in failover, kill and switchover", async (t) => {
  const scene = await Scene.open(t);
  const { client, faults } = scene.cluster;
  const namespace = "default";
  await scene.apply({ size: 3, version: "10.11.19" });
  await scene.settled("three members replicate");
  await using sql = await scene.member(await scene.primary());
  await sql.run("CREATE DATABASE lists", "CREATE TABLE lists.all_of (k CHAR(1) PRIMARY KEY, v LONGTEXT NOT NULL)");
  for (const key of KEYS) await sql.query("INSERT INTO lists.all_of VALUES (?, '')", [key]);
  const clients = new Clients(scene);
  t.after(() => clients.stop());
  await clients.progress(100);

  const old = await scene.primary();
  await faults.set({ do: "cut", target: { kind: "pod", namespace, name: old } });
  await scene.until("another member leads", async () => (await scene.primary()) !== old);
  await clients.progress(100);
  await faults.set({ do: "heal" });
  await scene.settled("the old primary follows");

  await client.delete(Pod, { namespace, name: await scene.primary(), gracePeriodSeconds: 0 });
  await clients.progress(100);
  await scene.settled("three members replicate again");

  const before = await scene.primary();
  await scene.apply({ size: 3, version: "10.11.19", switchover: { request: "now" } });
  await scene.until("another member leads", async () => (await scene.primary()) !== before);
  await clients.progress(100);
  const history = await clients.stop();
  const committed = history.filter(({ outcome }) => outcome === "committed").length;
  assert.ok(committed >= 400, `${committed} transactions were committed`);
  assert.deepEqual(checkLists(history), []);
  t.diagnostic(`${history.length} transactions, ${committed} committed`);
});

/** Clients that append to lists and read them, each with one transaction at a time. */
class Clients {
  readonly #scene: Scene;
  readonly #history: Transaction[] = [];
  readonly #abort = new AbortController();
  readonly #running: readonly Promise<void>[];
  #next = 0;

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#running = Array.from({ length: CLIENTS }, (_, at) => this.#run(at));
  }

  async progress(count: number): Promise<void> {
    const committed = (): number => this.#history.filter(({ outcome }) => outcome === "committed").length;
    const goal = committed() + count;
    await this.#scene.until(`${count} more transactions are committed`, async () => committed() >= goal);
  }

  async stop(): Promise<readonly Transaction[]> {
    this.#abort.abort();
    await Promise.all(this.#running);
    return this.#history;
  }

  async #run(client: number): Promise<void> {
    while (!this.#abort.signal.aborted) {
      try {
        await using sql = await this.#scene.member(await this.#scene.primary());
        await sql.run(
          "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE",
          "SET SESSION innodb_lock_wait_timeout = 2",
        );
        while (!this.#abort.signal.aborted && (await this.#transact(sql, client))) await delay(5);
      } catch {
        await delay(20);
      }
    }
  }

  /** One transaction with an append; whether the connection can be used again. */
  async #transact(sql: Sql, client: number): Promise<boolean> {
    const began = performance.now();
    const operations: ListOperation[] = [];
    const [first = "x", second = "y"] = [KEYS[(this.#next + client) % 3], KEYS[(this.#next * 2 + client + 1) % 3]];
    const value = ++this.#next;
    let isCommitting = false;
    try {
      await sql.run("BEGIN");
      operations.push(await readList(sql, first));
      operations.push({ do: "append", key: second, value });
      await sql.query("UPDATE lists.all_of SET v = CONCAT(v, ?, ' ') WHERE k = ?", [value, second]);
      isCommitting = true;
      await sql.run("COMMIT");
      this.#history.push({ began, ended: performance.now(), outcome: "committed", operations });
      return true;
    } catch {
      // An error before COMMIT rolls back, also if the connection is lost; one of COMMIT says nothing.
      this.#history.push({ began, outcome: isCommitting ? "unknown" : "aborted", operations });
      return (
        !isCommitting &&
        (await sql.run("ROLLBACK").then(
          () => true,
          () => false,
        ))
      );
    }
  }
}

async function readList(sql: Sql, key: string): Promise<ListOperation> {
  const [row] = await sql.query("SELECT v FROM lists.all_of WHERE k = ?", [key]);
  const values = (row?.["v"] ?? "").split(" ").filter(Boolean).map(Number);
  return { do: "read", key, values };
}
