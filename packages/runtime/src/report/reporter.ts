/** Reports the end of a reconcile to metrics, log, trace, history, and events on the object. */
import type { StoredObject } from "@capstan/model";
import type { Clock } from "../clock.ts";
import { userLine } from "./call-site.ts";
import { messageOf } from "../failure.ts";
import type { Log } from "../log.ts";
import type { ReconcileRequest } from "../queue/queue.ts";
import { consequenceOf } from "../reconcile/outcome.ts";
import { pausedNote } from "../reconcile/pause.ts";
import type { Consequence } from "../reconcile/outcome.ts";
import type { ReconcileEnd } from "../reconcile/run.ts";
import { changedFields } from "../trigger/reconcile-trigger.ts";
import type { ReconcileTrigger } from "../trigger/reconcile-trigger.ts";
import { formatTrace, parseTrace } from "../trigger/trace.ts";
import type { EventNote } from "./events.ts";
import type { History } from "./explain.ts";
import type { ControllerMeter } from "../metrics/meter.ts";
import { parentContext } from "./tracer.ts";
import type { Span, Tracer } from "./tracer.ts";

/** The receivers of reports. */
export interface ReporterOptions {
  readonly controller: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: ControllerMeter;
  readonly history: History;
  readonly tracer?: Tracer | undefined;
  readonly onEvent: (object: StoredObject, note: EventNote) => void;
}

/** The report of one reconcile. */
export interface ReconcileReport {
  /** The trace for the objects that the reconcile writes. */
  readonly trace: string | undefined;
  readonly end: (end: ReconcileEnd) => void;
}

/** Reports the reconciles of one controller. A receiver may fail: the others still get the report, and the reconcile ends. */
export class Reporter {
  readonly #options: ReporterOptions;

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  /** A key was enqueued. */
  enqueued(): void {
    this.#options.meter.added();
  }

  /** A reconcile begins; the returned report has its trace and takes its end. */
  begin(request: ReconcileRequest<ReconcileTrigger>): ReconcileReport {
    const { clock, meter } = this.#options;
    const started = clock.now();
    const span = this.#report("tracer", () => this.#startSpan(request));
    meter.started((started - request.readySince) / 1000);
    const finish = (end: ReconcileEnd): void => {
      const milliseconds = clock.now() - started;
      const consequence = consequenceOf(end.outcome);
      this.#report("metrics", () => meter.finished(consequence, end, milliseconds / 1000));
      if (span !== undefined) this.#report("tracer", () => endSpan(span, end));
      this.#report("log", () => this.#log(request, end, { ...consequence, milliseconds }));
      this.#report("history", () => this.#record(request, end, { ...consequence, milliseconds }));
    };
    return { trace: span && this.#report("tracer", () => formatTrace(span.spanContext())), end: finish };
  }

  /** Reports to one receiver. */
  #report<T>(receiver: string, report: () => T): T | undefined {
    try {
      return report();
    } catch (error) {
      const { controller, log } = this.#options;
      log.error(`could not report a reconcile to the ${receiver}: ${messageOf(error)}`, { controller, error });
      return undefined;
    }
  }

  #log(
    request: ReconcileRequest<ReconcileTrigger>,
    { outcome, reconcile }: ReconcileEnd,
    report: Consequence & { milliseconds: number },
  ): void {
    const { controller, log, onEvent } = this.#options;
    const { level, message, milliseconds, event } = report;
    if (log.writes(level)) {
      const isTrouble = level === "warn" || level === "error";
      const error = outcome.outcome === "failed" && isTrouble ? { error: outcome.error } : {};
      log[level](message, { controller, object: request.key, milliseconds, failures: request.failures, ...error });
    }
    if (event !== undefined && reconcile !== undefined) onEvent(reconcile.object, event);
  }

  #record(
    request: ReconcileRequest<ReconcileTrigger>,
    end: ReconcileEnd,
    report: Consequence & { milliseconds: number },
  ): void {
    const { controller, clock, history } = this.#options;
    if (end.state === "gone") history.forget(controller, request.key);
    if (end.state === "paused") return this.#recordPause(request, report.milliseconds);
    if (end.reconcile === undefined) return;
    const { reads, writes, decisions, warnings } = end.reconcile;
    history.record(controller, request.key, {
      at: new Date(clock.wall()).toISOString(),
      triggers: request.triggers,
      reads: reads.map((read) => `${read.kind.kind} ${"key" in read ? read.key : JSON.stringify(read.query)}`),
      writes: writes.map(({ verb, kind, key, before, after }) => {
        const fields = before === undefined || after === undefined ? [] : changedFields(before, after);
        return { verb, kind: kind.kind, key, fields };
      }),
      decisions,
      ...(warnings.length === 0 ? {} : { warnings }),
      outcome: end.outcome.outcome,
      message: report.message,
      ...whereOf(end.outcome),
      milliseconds: report.milliseconds,
      next: report.queue.then,
    });
  }

  /** A pause is recorded once: many events of a paused object must not push out the earlier reconciles. */
  #recordPause(request: ReconcileRequest<ReconcileTrigger>, milliseconds: number): void {
    const { controller, clock, history } = this.#options;
    if (history.of(controller, request.key).at(-1)?.outcome === "paused") return;
    const nothing = { reads: [], writes: [], decisions: [] };
    const at = new Date(clock.wall()).toISOString();
    const message = pausedNote(controller).note;
    const ending = { outcome: "paused", message, milliseconds, next: "forget" };
    history.record(controller, request.key, { at, triggers: request.triggers, ...nothing, ...ending });
  }

  #startSpan(request: ReconcileRequest<ReconcileTrigger>): Span | undefined {
    const { tracer, controller } = this.#options;
    if (tracer === undefined) return undefined;
    const [trigger] = request.triggers;
    const traces = new Set(request.triggers.map(({ trace }) => trace));
    const links = [...traces].flatMap((trace) => parseTrace(trace) ?? []).map((context) => ({ context }));
    const attributes = {
      "capstan.object": request.key,
      "capstan.failures": request.failures,
      "capstan.trigger":
        trigger === undefined ? "" : `${trigger.relation} ${trigger.kind} ${trigger.key} ${trigger.change}`,
    };
    const [first] = links;
    const parent = first === undefined ? [] : [parentContext(first.context)];
    return tracer.startSpan(`reconcile ${controller}`, { attributes, links }, ...parent);
  }
}

function endSpan(span: Span, { outcome, reconcile }: ReconcileEnd): void {
  span.setAttribute("capstan.outcome", outcome.outcome);
  span.setAttribute("capstan.writes", reconcile?.writes.length ?? 0);
  if (outcome.outcome === "failed" && outcome.error instanceof Error) span.recordException(outcome.error);
  span.end();
}

function whereOf(outcome: ReconcileEnd["outcome"]): { readonly where?: string } {
  const where = outcome.outcome === "failed" ? userLine(outcome.error) : undefined;
  return where === undefined ? {} : { where };
}
