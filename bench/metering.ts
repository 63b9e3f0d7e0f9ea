/** Metering: many records by namespace and day, ingest, memory, and the time from a command to its first byte. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Figures } from "./result.ts";
import type { Found } from "./result.ts";

const days = 31;

/** Fills a store in a separate process, then reports on it, each in its own process. */
export async function benchMetering({
  rounds,
  records = 10_000_000,
}: {
  rounds: number;
  records?: number;
}): Promise<Found> {
  const figures = new Figures("metering");
  const many = `${records / 1_000_000} million records`;
  const folder = mkdtempSync(join(tmpdir(), "bench-metering-"));
  try {
    writeFileSync(join(folder, "metering.yaml"), book);
    const filled = inProcess(folder, `${fill}\nawait fill(${records});`);
    figures.add("capstan", `${many} written, CPU`, "s", filled.cpu);
    figures.add("capstan", `${many} written, peak memory`, "MiB", filled.memory);
    figures.add("capstan", `${many}, disk`, "bytes a record", sizeOf(join(folder, "store")) / records);
    const ingested = inProcess(folder, `${fill}\nawait ingest(${Math.min(1_000_000, records)});`);
    figures.add(
      "capstan",
      "records read, checked and stored",
      "per second of CPU",
      Math.min(1_000_000, records) / ingested.cpu,
    );
    figures.add("capstan", "records read, checked and stored, peak memory", "MiB", ingested.memory);
    for (let round = 0; round < rounds; round++) {
      const month = inProcess(folder, `${report}\nawait show("2026-03-01", "2026-04-01", "day", ["namespace"]);`);
      figures.add("capstan", `${many} by namespace and day, CPU`, "s", month.cpu);
      figures.add("capstan", `${many} by namespace and day`, "s", month.wall);
      figures.add("capstan", `${many} by namespace and day, peak memory`, "MiB", month.memory);
      const direct = inProcess(folder, engine);
      figures.add("DuckDB alone", `${many} by namespace and day, CPU`, "s", direct.cpu);
      figures.add("DuckDB alone", `${many} by namespace and day`, "s", direct.wall);
      figures.add("DuckDB alone", `${many} by namespace and day, peak memory`, "MiB", direct.memory);
      const day = inProcess(folder, `${report}\nawait show("2026-03-07", "2026-03-08", "total", ["namespace"], "n7");`);
      figures.add("capstan", "one namespace, one day", "ms", day.wall * 1000);
      figures.add("capstan", "capstan meter price, command to first byte", "ms", firstByte(folder));
    }
    return { rows: figures.rows() };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const book = `
meters:
- { name: pod.cpu.usage, type: level, unit: core }
- { name: api.calls, type: event, unit: call }
prices:
- { meter: pod.cpu.usage, amount: "0.03", per: core-hour }
`;

const open = `
import { openFolderStore, parseBook, importUsage, runReport, zoneOf, parsePeriod } from "@capstan/metering";
import { readFileSync } from "node:fs";
const book = parseBook(readFileSync("metering.yaml", "utf8"));
const begin = Date.UTC(2026, 2, 1);
`;

const fill = `${open}
const at = (index, count) => begin + Math.floor((index / count) * ${days * 1440}) * 60_000;
async function fill(count) {
  await using store = await openFolderStore("store", { lock: { pid: process.pid } });
  const step = 250_000;
  for (let from = 0; from < count; from += step) {
    const rows = Array.from({ length: Math.min(step, count - from) }, (_, part) => {
      const index = from + part;
      const start = at(index, count);
      const pod = '{"node":"n' + (index % 50) + '","pod":"p' + (index % 2000) + '"}';
      return ["pod.cpu.usage", start, start + 60_000, BigInt(250_000 + (index % 977)), "", "n" + (index % 100), "", pod, "usage", "r" + index, "", 0, 1, begin];
    });
    await store.commit({ at: begin, rows: [{ table: "usage", rows }], watermarks: { "pod.cpu.usage": at(from + step, count) } });
  }
}
async function ingest(count) {
  await using store = await openFolderStore("ingested", { lock: { pid: process.pid } });
  async function* inputs() {
    for (let index = 0; index < count; index++) {
      const start = at(index, count);
      const line = JSON.stringify({ id: "r" + index, meter: "api.calls", at: new Date(start).toISOString(), amount: "1.5", namespace: "n" + (index % 100), dimensions: { path: "p" + (index % 40) } });
      yield { where: "bench:" + index, value: JSON.parse(line) };
    }
  }
  const { stored } = await importUsage(inputs(), { store, book, batch: 50_000, source: "usage", now: Date.UTC(2026, 6, 1) });
  if (stored !== count) throw new Error("stored " + stored);
}
`;

const report = `${open}
async function show(from, to, bucket, by, namespace) {
  await using store = await openFolderStore("store");
  const where = new Map(namespace === undefined ? [] : [["namespace", [namespace]]]);
  const window = { from: Date.parse(from), to: Date.parse(to) };
  const began = performance.now();
  const { json } = await runReport(store, book, { window, bucket, by, meters: [], where, idle: "show", shared: "show", withCost: true });
  globalThis.wall = (performance.now() - began) / 1000;
  if (json.rows.length === 0) throw new Error("no rows");
}
`;

/** The same sum by the engine alone, without prices, tenants and coverage. */
const engine = `
import { DuckDBInstance } from "@duckdb/node-api";
const instance = await DuckDBInstance.create(":memory:", { threads: "2", memory_limit: "512MB" });
const connection = await instance.connect();
const began = performance.now();
const sql = "SELECT start_ms // 86400000, namespace, sum(CAST(amount AS DECIMAL(18,6)) * CAST(end_ms - start_ms AS DECIMAL(18,0))) FROM read_parquet('store/usage/*/*.parquet') GROUP BY ALL";
const rows = (await connection.runAndReadAll(sql)).getRows();
globalThis.wall = (performance.now() - began) / 1000;
if (rows.length === 0) throw new Error("no rows");
`;

const tell = `
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
console.log(JSON.stringify({ cpu: (userCPUTime + systemCPUTime) / 1e6, memory: maxRSS / 1024, wall: globalThis.wall ?? 0 }));`;

interface Cost {
  readonly cpu: number;
  readonly memory: number;
  readonly wall: number;
}

function inProcess(cwd: string, program: string): Cost {
  const file = join(import.meta.dirname, `.metering-${process.pid}.mjs`);
  writeFileSync(file, `${program}\n${tell}`);
  try {
    const text = execFileSync(process.execPath, ["--conditions=@capstan/source", file], { cwd, encoding: "utf8" });
    return JSON.parse(text.trim().split("\n").at(-1) ?? "") as Cost;
  } finally {
    rmSync(file);
  }
}

function firstByte(cwd: string): number {
  const main = join(import.meta.dirname, "../apps/cli/src/main.ts");
  const began = performance.now();
  const ran = spawnSync(process.execPath, ["--conditions=@capstan/source", main, "meter", "price"], { cwd });
  if (ran.status !== 0) throw new Error(String(ran.stderr));
  return performance.now() - began;
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".parquet"))
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
