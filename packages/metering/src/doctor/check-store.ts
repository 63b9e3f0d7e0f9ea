/** Checks a store: its files, its audit, its invoices, and whether sources are behind. */
import { auditProblems, readAudit } from "../audit/audit.ts";
import type { Book, Meter } from "../book/book.ts";
import { readInvoices, verifyInvoices } from "../invoice/archive.ts";
import { formatInstant } from "../time/instant.ts";
import type { Store } from "../store/store.ts";

/** The outcome of one check. */
export interface Check {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  readonly message: string;
  readonly cure: string;
}

/** What checks need beside the store. */
export interface StoreCheck {
  readonly book: Book;
  readonly now: number;
}

/** Runs all checks. */
export async function checkStore(store: Store, { book, now }: StoreCheck): Promise<Check[]> {
  return [
    await checked("files", () => checkFiles(store)),
    await checked("audit", () => checkAudit(store)),
    await checked("invoices", () => checkInvoices(store)),
    ...[...book.meters.values()].flatMap((meter) => checkWatermark(store, meter, now)),
  ];
}

type Found = Omit<Check, "name">;

/** A check that breaks has failed. */
async function checked(name: string, run: () => Promise<Found>): Promise<Check> {
  try {
    return { name, ...(await run()) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { name, status: "fail", message, cure: "restore the store from a backup" };
  }
}

async function checkFiles(store: Store): Promise<Found> {
  const problems = await store.verify();
  if (problems.length === 0) return { status: "ok", message: "all files of the store are whole", cure: "" };
  return {
    status: "fail",
    message: problems.join("; "),
    cure: "restore these files from a backup, or import their records again",
  };
}

async function checkAudit(store: Store): Promise<Found> {
  const entries = await readAudit(store);
  const problems = auditProblems(entries);
  if (problems.length === 0) return { status: "ok", message: `${entries.length} lines in an unbroken chain`, cure: "" };
  return {
    status: "fail",
    message: problems.join("; "),
    cure: "the audit was changed: restore audit.ndjson from a backup",
  };
}

async function checkInvoices(store: Store): Promise<Found> {
  const invoices = await readInvoices(store);
  const bad = verifyInvoices(invoices, { isWhole: true }).filter(({ ok }) => !ok);
  if (bad.length === 0) return { status: "ok", message: `${invoices.length} closed invoices are verified`, cure: "" };
  const message = bad.map(({ id, problems }) => `${id}: ${problems.join(", ")}`).join("; ");
  return { status: "fail", message, cure: "a closed invoice was changed: restore it from a backup" };
}

/** At least so often a watch says that it is still connected. */
const bookmarkInterval = 30_000;

function checkWatermark({ state }: Store, meter: Meter, now: number): Check[] {
  const interval = meter.prometheus?.step ?? (meter.objects === undefined ? undefined : bookmarkInterval);
  if (interval === undefined) return [];
  const name = `watermark ${meter.name}`;
  const at = state.watermarks.get(meter.name);
  const command =
    meter.prometheus === undefined ? "capstan meter import kubernetes" : "capstan meter import prometheus";
  if (at === undefined) return [{ name, status: "warn", message: "nothing was imported yet", cure: `run ${command}` }];
  const message = `imported up to ${formatInstant(at)}`;
  if (now - at <= 3 * interval) return [{ name, status: "ok", message, cure: "" }];
  return [
    {
      name,
      status: "warn",
      message: `${message}, more than 3 intervals behind`,
      cure: `run ${command}, or look why it stopped`,
    },
  ];
}
