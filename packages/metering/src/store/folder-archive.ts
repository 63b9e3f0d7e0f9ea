/** The archive of a folder store: one file for each invoice, one for the audit, one for the key. */
import { mkdir, open, readFile, readdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Archive, StoredText } from "./archive.ts";
import { takeLock } from "./lock.ts";
import { appendLines } from "./manifest.ts";

/** How writers of the audit wait for each other. */
export interface ArchiveOptions {
  readonly pid: number;
  readonly pause: () => Promise<void>;
}

const queues = new Map<string, Promise<unknown>>();

/** The archive of a folder. */
export function folderArchive(folder: string, { pid, pause }: ArchiveOptions): Archive {
  const place = join(folder, "invoices");
  const auditPath = join(folder, "audit.ndjson");
  const invoiceNames = async (ending: string): Promise<string[]> => {
    const names = await readdir(place).catch(() => []);
    return names.filter((name) => name.endsWith(ending)).sort();
  };
  const auditLines = async (): Promise<readonly StoredText[]> => {
    const text = await readFile(auditPath, "utf8").catch(absent);
    // A torn last line was never written.
    const lines = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
    return lines.filter((line) => line !== "").map((line, at) => ({ where: `${auditPath}:${at + 1}`, text: line }));
  };
  return {
    invoices: async () =>
      Promise.all(
        (await invoiceNames(".json")).map(async (name) => ({
          where: name,
          text: await readFile(join(place, name), "utf8"),
        })),
      ),
    addInvoice: async (id, text) => {
      await mkdir(place, { recursive: true });
      const path = join(place, `${encodeURIComponent(id)}.json`);
      await using file = await open(`${path}.tmp`, "w");
      await file.writeFile(text);
      await file.sync();
      await rename(`${path}.tmp`, path);
    },
    closedPeriods: async () => new Set((await invoiceNames(".closed")).map((name) => name.slice(0, -".closed".length))),
    addClosedPeriod: async (period) => {
      await mkdir(place, { recursive: true });
      await using file = await open(join(place, `${period}.closed`), "a");
      await file.sync();
    },
    auditLines,
    appendAudit: async (linesAfter) => {
      const before = queues.get(folder) ?? Promise.resolve();
      const own = before
        .catch(() => undefined)
        .then(async () => {
          await mkdir(folder, { recursive: true });
          await using _lock = await takeLock(folder, { pid, wait: pause, name: "audit.lock" });
          const last = (await auditLines()).at(-1);
          const lines = linesAfter(last);
          await appendLines(auditPath, lines);
        });
      queues.set(folder, own);
      await own;
    },
    hashKey: async (make) => {
      const path = join(folder, "hash.key");
      const known = await readFile(path).catch(() => undefined);
      if (known !== undefined) return known;
      const made = make();
      await mkdir(folder, { recursive: true });
      await writeFile(path, made, { mode: 0o600, flag: "wx" });
      return made;
    },
  };
}

function absent(error: unknown): string {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
  throw error;
}
