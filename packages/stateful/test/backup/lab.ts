/** A store in a folder, an exchange with given content, and an application whose positions are numbers. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { VirtualClock } from "@capstan/runtime/testing";
import { application } from "../../src/application.ts";
import type { Application } from "../../src/application.ts";
import { runJob } from "../../src/backup/agent/run-job.ts";
import type { Draft, Job, JobResult } from "../../src/backup/agent/job.ts";
import { openDirectory } from "../../src/store/index.ts";
import type { Store } from "../../src/store/index.ts";
import { store as suiteStore } from "../suites/store.ts";

/** A copy is lines of rows and a last line with the position. */
const app: Application<AsyncDisposable, number> = application({
  ...suiteStore,
  backups: {
    formatPosition: String,
    parsePosition: Number,
    dump: "dump",
    trial: "trial",
    scan: () => {
      let position: string | undefined;
      return {
        isRow: (line) => {
          position = /^position (?<at>\d+)$/u.exec(line)?.groups?.["at"] ?? position;
          return line.startsWith("row ");
        },
        position: () => position,
      };
    },
  },
});

const cluster = { namespace: "default", name: "c", uid: "uid-1", lineage: "line-1" };
export const KEY: Buffer = Buffer.from(Array.from({ length: 32 }, (_, at) => 7 + at * 5));
export const OTHER_KEY: Buffer = Buffer.from(KEY.map((byte) => byte ^ 0x55));

export class Lab {
  readonly folder: string;
  readonly clock = new VirtualClock();
  readonly store: Store;
  #salts = 0;

  private constructor(folder: string) {
    this.folder = folder;
    this.store = openDirectory({ root: join(folder, "volume") });
  }

  static async open(test: TestContext): Promise<Lab> {
    const folder = await mkdtemp(join(tmpdir(), "backup-lab-"));
    test.after(() => rm(folder, { recursive: true, force: true }));
    for (const name of ["volume", "exchange", "encryption", "seed"]) await mkdir(join(folder, name));
    const lab = new Lab(folder);
    await lab.mountKey(KEY);
    return lab;
  }

  async mountKey(key: Buffer): Promise<void> {
    await writeFile(join(this.folder, "encryption/key"), key.toString("base64"));
  }

  /** What the server's container hands over, and how its program ended. */
  async handOver(content: string, code = 0): Promise<void> {
    await writeFile(join(this.folder, "exchange/stream"), content);
    await writeFile(join(this.folder, "exchange/status"), `${code}\n`);
  }

  async run(job: Job): Promise<JobResult> {
    const paths = {
      credentials: join(this.folder, "none"),
      storeCa: join(this.folder, "none"),
      encryption: join(this.folder, "encryption"),
      volume: join(this.folder, "volume"),
      scratch: join(this.folder, "seed"),
      exchange: join(this.folder, "exchange"),
      result: join(this.folder, "result"),
    };
    const randomBytes = (count: number): Buffer => Buffer.alloc(count, ++this.#salts);
    return await runJob(job, { application: app, clock: this.clock, random: () => 0.5, randomBytes, paths });
  }

  readonly work = { store: { kind: "volume", path: "" }, isEncrypted: true } as const;

  /** Makes a full backup of this content, a second after the one before. */
  async backUp(content: string, more: Partial<Extract<Job, { do: "store" }>> = {}, draft: Partial<Draft> = {}) {
    await this.clock.advance(1_000);
    await this.handOver(content);
    return await this.run({
      do: "store",
      ...this.work,
      draft: { application: "store", type: "full", cluster, member: "c-0", version: "1.0", ...draft },
      compression: "gzip",
      ...more,
    });
  }

  /** The name of a backup that was made just now. */
  async made(content: string, draft: Partial<Draft> = {}): Promise<string> {
    const result = await this.backUp(content, {}, draft);
    if (!result.ok || result.manifest === undefined) throw new Error(JSON.stringify(result));
    return result.manifest.name;
  }

  async fetch(wanted: Partial<Extract<Job, { do: "fetch" }>["wanted"]> = {}, work: object = {}): Promise<JobResult> {
    return await this.run({
      do: "fetch",
      ...this.work,
      ...work,
      wanted: { cluster, ...wanted },
      version: "1.0",
      to: join(this.folder, "seed/to"),
      unless: join(this.folder, "seed/none"),
    });
  }
}
