/** Tells how a turn went, to everybody who wants to know: metrics, log, trace, history, and events on the object. */
import type { StoredObject } from "@capstan/model";
import type { Clock } from "../clock.ts";
import { userLine } from "../call-site.ts";
import { messageOf } from "../failure.ts";
import type { Log } from "../log.ts";
import type { Turn } from "../queue/queue.ts";
import { consequenceOf } from "../reconcile/outcome.ts";
import { pausedNote } from "../reconcile/pause.ts";
import type { Consequence } from "../reconcile/outcome.ts";
import type { TurnEnd } from "../reconcile/worker.ts";
import { changedFields } from "../trigger/cause.ts";
import type { Cause } from "../trigger/cause.ts";
import { formatTrace, parseTrace } from "../trigger/trace.ts";
import type { EventNote } from "./events.ts";
import type { History } from "./explain.ts";
import type { ControllerMeter } from "./meter.ts";
import { parentContext } from "./tracer.ts";
import type { Span, Tracer } from "./tracer.ts";

/** Where reports go. */
export interface ReporterOptions {
  readonly controller: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: ControllerMeter;
  readonly history: History;
  readonly tracer?: Tracer | undefined;
  readonly onEvent: (object: StoredObject, note: EventNote) => void;
}

/** The report of one turn. */
export interface TurnReport {
  /** What the turn leaves on what it writes. */
  readonly trace: string | undefined;
  readonly end: (end: TurnEnd) => void;
}

/** Reports the turns of one controller. Whoever is told may fail: the others are told all the same, and the turn ends. */
export class Reporter {
  readonly #options: ReporterOptions;

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  /** A key was woken. */
  woken(): void {
    this.#options.meter.added();
  }

  /** A turn begins; what is returned is told how it ended, and knows the trace that it belongs to. */
  begin(turn: Turn<Cause>): TurnReport {
    const { clock, meter } = this.#options;
    const started = clock.now();
    const span = this.#tell("tracer", () => this.#startSpan(turn));
    meter.started((started - turn.readySince) / 1000);
    const finish = (end: TurnEnd): void => {
      const milliseconds = clock.now() - started;
      const consequence = consequenceOf(end.outcome);
      this.#tell("metrics", () => meter.finished(consequence, end, milliseconds / 1000));
      if (span !== undefined) this.#tell("tracer", () => endSpan(span, end));
      this.#tell("log", () => this.#say(turn, end, { ...consequence, milliseconds }));
      this.#tell("history", () => this.#remember(turn, end, { ...consequence, milliseconds }));
    };
    return { trace: span && this.#tell("tracer", () => formatTrace(span.spanContext())), end: finish };
  }

  /** Tells one of them. */
  #tell<T>(whom: string, tell: () => T): T | undefined {
    try {
      return tell();
    } catch (error) {
      const { controller, log } = this.#options;
      log.error(`could not tell the ${whom} of a turn: ${messageOf(error)}`, { controller, error });
      return undefined;
    }
  }

  #say(turn: Turn<Cause>, { outcome, work }: TurnEnd, told: Consequence & { milliseconds: number }): void {
    const { controller, log, onEvent } = this.#options;
    const { level, message, milliseconds, event } = told;
    if (log.writes(level)) {
      const isTrouble = level === "warn" || level === "error";
      const error = outcome.outcome === "failed" && isTrouble ? { error: outcome.error } : {};
      log[level](message, { controller, object: turn.key, milliseconds, failures: turn.failures, ...error });
    }
    if (event !== undefined && work !== undefined) onEvent(work.object, event);
  }

  #remember(turn: Turn<Cause>, end: TurnEnd, told: Consequence & { milliseconds: number }): void {
    const { controller, clock, history } = this.#options;
    if (end.state === "gone") history.forget(controller, turn.key);
    if (end.state === "paused") return this.#rememberPause(turn, told.milliseconds);
    if (end.work === undefined) return;
    const { reads, writes, decisions, warnings } = end.work;
    history.record(controller, turn.key, {
      at: new Date(clock.wall()).toISOString(),
      causes: turn.causes,
      reads: reads.map((read) => `${read.kind.kind} ${"key" in read ? read.key : JSON.stringify(read.query)}`),
      writes: writes.map(({ verb, kind, key, before, after }) => {
        const fields = before === undefined || after === undefined ? [] : changedFields(before, after);
        return { verb, kind: kind.kind, key, fields };
      }),
      decisions,
      ...(warnings.length === 0 ? {} : { warnings }),
      outcome: end.outcome.outcome,
      message: told.message,
      ...whereOf(end.outcome),
      milliseconds: told.milliseconds,
      next: told.queue.then,
    });
  }

  /** A pause is remembered once: many wake-ups of an object that rests must not push out what was done before. */
  #rememberPause(turn: Turn<Cause>, milliseconds: number): void {
    const { controller, clock, history } = this.#options;
    if (history.of(controller, turn.key).at(-1)?.outcome === "paused") return;
    const nothing = { reads: [], writes: [], decisions: [] };
    const at = new Date(clock.wall()).toISOString();
    const message = pausedNote(controller).note;
    const ending = { outcome: "paused", message, milliseconds, next: "forget" };
    history.record(controller, turn.key, { at, causes: turn.causes, ...nothing, ...ending });
  }

  #startSpan(turn: Turn<Cause>): Span | undefined {
    const { tracer, controller } = this.#options;
    if (tracer === undefined) return undefined;
    const [cause] = turn.causes;
    const traces = new Set(turn.causes.map(({ trace }) => trace));
    const links = [...traces].flatMap((trace) => parseTrace(trace) ?? []).map((context) => ({ context }));
    const attributes = {
      "capstan.object": turn.key,
      "capstan.failures": turn.failures,
      "capstan.cause": cause === undefined ? "" : `${cause.relation} ${cause.kind} ${cause.key} ${cause.change}`,
    };
    const [first] = links;
    const parent = first === undefined ? [] : [parentContext(first.context)];
    return tracer.startSpan(`reconcile ${controller}`, { attributes, links }, ...parent);
  }
}

function endSpan(span: Span, { outcome, work }: TurnEnd): void {
  span.setAttribute("capstan.outcome", outcome.outcome);
  span.setAttribute("capstan.writes", work?.writes.length ?? 0);
  if (outcome.outcome === "failed" && outcome.error instanceof Error) span.recordException(outcome.error);
  span.end();
}

function whereOf(outcome: TurnEnd["outcome"]): { readonly where?: string } {
  const where = outcome.outcome === "failed" ? userLine(outcome.error) : undefined;
  return where === undefined ? {} : { where };
}
