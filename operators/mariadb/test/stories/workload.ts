/** A client that writes all the time and keeps what was acknowledged. */
import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "../../src/sql.ts";
import type { Scene } from "./scene.ts";

const TABLE = "shop.appends";

/** One client: each write has the next number. A write without a response may exist or not. */
export class Workload implements AsyncDisposable {
  readonly acknowledged: number[] = [];
  /** Milliseconds between two acknowledged writes, the longest first. */
  readonly gaps: number[] = [];
  readonly #scene: Scene;
  readonly #abort = new AbortController();
  #next = 0;
  #running: Promise<void> = Promise.resolve();

  private constructor(scene: Scene) {
    this.#scene = scene;
  }

  static async start(scene: Scene): Promise<Workload> {
    const { status } = await scene.object();
    await using sql = await scene.member(status?.primary ?? "");
    await sql.run("CREATE DATABASE IF NOT EXISTS shop", `CREATE OR REPLACE TABLE ${TABLE} (id INT PRIMARY KEY)`);
    const workload = new Workload(scene);
    workload.#running = workload.#run();
    return workload;
  }

  /** Ends the client; returns when its last write ended. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
    this.gaps.sort((one, other) => other - one);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Resolves when so many more writes were acknowledged. */
  async progress(count: number): Promise<void> {
    const goal = this.acknowledged.length + count;
    await this.#scene.until(`${count} more writes are acknowledged`, async () => this.acknowledged.length >= goal);
  }

  async #run(): Promise<void> {
    let last = performance.now();
    while (!this.#abort.signal.aborted) {
      try {
        const { status } = await this.#scene.object();
        await using sql = await this.#scene.member(status?.primary ?? "");
        for (;;) {
          if (this.#abort.signal.aborted) return;
          const id = this.#next++;
          await sql.query(`INSERT INTO ${TABLE} VALUES (?)`, [id]);
          this.acknowledged.push(id);
          this.gaps.push(performance.now() - last);
          last = performance.now();
          await delay(5);
        }
      } catch {
        // A client tries again with another connection and another number.
        await delay(20);
      }
    }
  }
}

/** The numbers that a member has. */
export async function readAppends(sql: Sql): Promise<ReadonlySet<number>> {
  const rows = await sql.query(`SELECT id FROM ${TABLE}`);
  return new Set(rows.map(({ id }) => Number(id)));
}
