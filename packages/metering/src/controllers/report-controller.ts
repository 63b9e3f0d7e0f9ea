/** The controller of UsageReport: finds the next period that is over, waits for its data, reports it, and keeps the results. */
import { ConfigMap, Namespace, Secret } from "@capstan/kinds/v1";
import { type Context, type Controller, type ReconcileResult, controller, requeue } from "@capstan/runtime";
import type { Book } from "../book/book.ts";
import type { Window } from "../engine/rate.ts";
import { reportZone } from "../engine/report.ts";
import { MeterError } from "../error.ts";
import { type MeterKind, MeterResource } from "../kinds/meter.ts";
import { type PriceListKind, PriceListResource } from "../kinds/price-list.ts";
import { type KeptResult, type UsageReportKind, UsageReportResource } from "../kinds/usage-report.ts";
import { formatInstant, parseDuration, parseInstant } from "../time/instant.ts";
import { zoneOf } from "../time/zone.ts";
import { type Made, makeReport } from "./make-report.ts";
import { bookOf } from "./object-book.ts";
import { contentOf, resultName } from "./report-content.ts";
import { nextWindow } from "./report-window.ts";
import type { MeteringTools } from "./tools.ts";

type Own = typeof ConfigMap | typeof Secret;
type ReportContext = Context<UsageReportKind, Own, MeterKind | PriceListKind | typeof Namespace>;

/** How often a report that waits for data looks again. */
const pollEvery = "1m";

/** The controller of reports. */
export function reportController(tools: MeteringTools): Controller {
  return controller(
    UsageReportResource,
    { owns: [ConfigMap, Secret], reads: [MeterResource, PriceListResource, Namespace], concurrency: 2 },
    (context) => reconcile(context, tools),
  );
}

async function reconcile(context: ReportContext, tools: MeteringTools): Promise<ReconcileResult> {
  const { object, status } = context;
  keepResults(context, object.status?.results ?? []);
  try {
    clearFailure(context);
    return await nextStep(context, tools);
  } catch (error) {
    if (!(error instanceof MeterError) || !isFinal(error)) throw error;
    status.condition("Complete", false, { reason: error.code, message: error.message });
    status.condition("Failed", true, { reason: error.code, message: error.message });
    context.event("Warning", error.code, error.message);
    return undefined;
  }
}

const unobserved = "NotCompletelyObserved";

/** A mistake that was corrected is gone at once; a period with gaps stays failed until the next one is reported. */
function clearFailure({ object, status }: ReportContext): void {
  const failed = object.status?.conditions?.find(({ type }) => type === "Failed");
  if (failed?.reason !== unobserved) status.condition("Failed", false, { reason: "NoFailure", message: "" });
}

/** Whether only a change of an object can help. */
function isFinal({ code }: MeterError): boolean {
  return code === "BadBook" || code === "BadInput" || code === "Limit" || code === "Usage";
}

async function nextStep(context: ReportContext, tools: MeteringTools): Promise<ReconcileResult> {
  const { object, status } = context;
  const { spec, metadata } = object;
  const now = tools.now();
  const book = bookOf(
    context.find(MeterResource, { namespace: "*" }),
    context.find(PriceListResource, { namespace: "*" }),
  );
  const isDone = spec.schedule === undefined && object.status?.doneGeneration === metadata.generation;
  const last = parseInstant(object.status?.lastPeriodEnd ?? "");
  const zone = zoneOf(reportZone(book, spec));
  const created = parseInstant(metadata.creationTimestamp ?? "") ?? now;
  const window = isDone ? undefined : nextWindow({ spec, zone, created, last });
  if (window === undefined) {
    status.condition("Complete", true, { reason: "Finished", message: "every period was reported" });
    return undefined;
  }
  status.nextPeriodEnd = formatInstant(window.to);
  if (now < window.to) {
    const isUpToDate = last !== undefined && spec.schedule !== undefined;
    const message = `the next period ends at ${formatInstant(window.to)}`;
    status.condition("Complete", isUpToDate, { reason: isUpToDate ? "UpToDate" : "PeriodNotOver", message });
    return requeue(`${Math.min(window.to - now, 86_400_000)}ms`, { reason: message, prune: true });
  }
  return await report(context, { tools, book, window, now });
}

interface Turn {
  readonly tools: MeteringTools;
  readonly book: Book;
  readonly window: Window;
  readonly now: number;
}

async function report(context: ReportContext, { tools, book, window, now }: Turn): Promise<ReconcileResult> {
  const { object, status } = context;
  const { spec } = object;
  const only = ownTenant(context, tools, book);
  const made = await inStore(tools, (store) => makeReport(store, { book, spec, window, only }));
  if (made.late.length > 0 && (spec.requireComplete || now < window.to + waitOf(spec.waitForCoverage))) {
    const message = `no data up to ${formatInstant(window.to)} yet: ${made.late.join(", ")}`;
    status.condition("Complete", false, { reason: "WaitingForCoverage", message });
    return requeue(pollEvery, { reason: message, prune: true });
  }
  const kept = await writeResult(context, { tools, book, window, made });
  status.lastPeriodEnd = kept.to;
  if (spec.schedule === undefined) status.doneGeneration = object.metadata.generation ?? 0;
  const message = `reported ${kept.from} to ${kept.to} in the ${kept.kind} ${kept.name}`;
  context.event("Normal", "Reported", message);
  status.condition("Complete", true, { reason: "Reported", message });
  noteGaps(context, kept);
  // A missed period may follow at once.
  return spec.schedule === undefined ? undefined : requeue("100ms", { reason: "the next period", prune: true });
}

async function inStore<T>(
  { openStore }: MeteringTools,
  use: (store: Awaited<ReturnType<MeteringTools["openStore"]>>) => Promise<T>,
): Promise<T> {
  await using store = await openStore();
  return await use(store);
}

/** The tenant that a report may show; undefined for all. */
function ownTenant({ object, get }: ReportContext, tools: MeteringTools, book: Book): string | undefined {
  const { namespace = "" } = object.metadata;
  if (tools.adminNamespaces.includes(namespace)) return undefined;
  const label = get(Namespace, namespace)?.metadata.labels?.[book.tenantLabel] ?? "";
  return label === "" ? namespace : label;
}

function waitOf(text: string): number {
  const duration = parseDuration(text);
  if (duration !== undefined) return duration;
  throw new MeterError("BadInput", `spec.waitForCoverage ${JSON.stringify(text)} is not a duration such as 24h`);
}

async function writeResult(
  context: ReportContext,
  { tools, book, window, made }: Pick<Turn, "tools" | "book" | "window"> & { readonly made: Made },
): Promise<KeptResult> {
  const { object, apply, status } = context;
  const { spec, metadata } = object;
  const { kind, format } = spec.output;
  const name = resultName(object, spec.schedule === undefined ? undefined : window.to);
  const result: KeptResult = {
    kind,
    name,
    from: made.report.from,
    to: made.report.to,
    rows: made.report.rows.length,
    ...(made.report.total.cost !== undefined && { cost: made.report.total.cost }),
    complete: made.report.coverage.every(({ complete }) => complete),
  };
  const labels = { "metering.capstan.dev/report": labelOf(metadata.name) };
  const annotations = { "metering.capstan.dev/from": result.from, "metering.capstan.dev/to": result.to };
  const content = contentOf(tools.format(made.report, { format, spec, book }), spec.output);
  const desired = { metadata: { labels, annotations }, ...content };
  if (kind === "Secret") await apply(Secret, name, desired);
  else await apply(ConfigMap, name, desired);
  const others = (object.status?.results ?? []).filter((other) => other.kind !== kind || other.name !== name);
  status.results = [...others, result].slice(-spec.keep);
  return result;
}

/** The name as a value of a label: at most 63 characters, the last of them a letter or digit. */
function labelOf(name: string): string {
  let end = Math.min(name.length, 63);
  while (end > 0 && !/[a-z0-9]/.test(name.charAt(end - 1))) end--;
  return name.slice(0, end);
}

/** Results stay until newer ones take their place: what is neither kept nor applied is deleted when a reconcile is complete. */
function keepResults({ object, keep, status }: ReportContext, results: readonly KeptResult[]): void {
  const { spec } = object;
  const isOne = spec.schedule === undefined;
  const kept = results.slice(-(isOne ? 1 : spec.keep));
  for (const { kind, name } of kept) keep(kind === "Secret" ? Secret : ConfigMap, name);
  if (kept.length < results.length) status.results = [...kept];
}

function noteGaps({ object, event, status }: ReportContext, { complete, from, to, name }: KeptResult): void {
  const message = complete ? "" : `parts of ${from} to ${to} were not observed; see coverage in ${name}`;
  if (!complete) event("Warning", unobserved, message);
  const isFailed = !complete && object.spec.requireComplete;
  status.condition("Failed", isFailed, { reason: isFailed ? unobserved : "NoFailure", message });
}
