/** One reconcile of one object: what it uses, reads and writes, so that it can be ended and reported as a whole. */
import type { StoredObject } from "@capstan/model";
import { keyText, kindId } from "../api.ts";
import { Children } from "../apply/children.ts";
import { echoCauseOf } from "../apply/echoes.ts";
import { draftOf } from "../apply/status.ts";
import type { Draft } from "../apply/status.ts";
import type { Write, Writer } from "../apply/writer.ts";
import { timestamp } from "../clock.ts";
import { RuntimeError } from "../errors.ts";
import type { ReconcileRequest } from "../queue/queue.ts";
import type { ReconcileTrigger } from "../trigger/reconcile-trigger.ts";
import type { Read } from "../trigger/reads.ts";
import { UserCall } from "./call.ts";
import type { ReconcileLimits } from "./call.ts";
import type { ReconcileEnvironment } from "./environment.ts";
import { addFinalizer } from "./finalizer.ts";
import { Steps } from "./steps.ts";

/** One reconcile. */
export class Reconcile {
  readonly environment: ReconcileEnvironment;
  readonly request: ReconcileRequest<ReconcileTrigger>;
  readonly limits: ReconcileLimits;
  /** The call of the user's function. */
  readonly call: UserCall;
  /** The writer of the runtime itself. */
  readonly writer: Writer;
  /** The writer of the user's function: after the function was aborted, it writes nothing more. */
  readonly userWriter: Writer;
  readonly children: Children;
  readonly steps: Steps;
  readonly status: Draft;
  readonly reads: Read[] = [];
  readonly writes: Write[] = [];
  readonly decisions: string[] = [];
  readonly warnings: string[] = [];
  /** The object after the reconcile's own writes. */
  object: StoredObject;

  constructor(
    environment: ReconcileEnvironment,
    object: StoredObject,
    { request, limits }: { readonly request: ReconcileRequest<ReconcileTrigger>; readonly limits: ReconcileLimits },
  ) {
    const { clock, writer } = environment;
    this.environment = environment;
    this.request = request;
    this.limits = limits;
    this.object = object;
    const onLate = (error: RuntimeError): void => this.#logLate(error);
    this.call = new UserCall({ ...limits, isDry: writer.isDry, onLate });
    const note = (write: Write): void => this.#noteWrite(write);
    this.writer = writer.during(() => limits.signal, note);
    this.userWriter = writer.during(() => this.call.signal, note);
    this.children = this.#makeChildren(object);
    this.steps = this.#makeSteps();
    const check = (condition: string): void => this.#mustBeDeclared(condition);
    this.status = draftOf({ object, time: () => timestamp(clock), check });
  }

  /** Records a read at once: the object may change before the reconcile ends. */
  noteRead(read: Read): void {
    this.reads.push(read);
    this.environment.tracked.add(keyText(this.object), read);
  }

  #makeChildren(object: StoredObject): Children {
    const { environment, userWriter: writer } = this;
    const { definition, childrenFinalizers, log, caches, breaker, echoes, learned, uncached } = environment;
    const { kind } = definition;
    return new Children({
      caches,
      breaker,
      beforeChange: (child, key) => echoes.check(child, key, echoCauseOf(this.request.triggers)),
      learned,
      uncached,
      writer,
      owner: { kind, object },
      trace: this.limits.trace,
      beforeUnreferenced: async () => void (await addFinalizer(writer, kind, this.object, childrenFinalizers[0])),
      isSelfInflicted: isSelfInflicted(this.request, writer),
      warn: (text) => log.warn(text),
    });
  }

  #makeSteps(): Steps {
    const { call, userWriter: writer, environment } = this;
    const { definition, isAlone } = environment;
    return new Steps({
      kind: definition.kind,
      object: () => this.object,
      writer,
      signal: () => call.signal,
      beforeSideEffect: call.beforeSideEffect,
      isAlone,
    });
  }

  /** Later writes of the reconcile build on the object that the earlier ones returned. */
  #noteWrite(write: Write): void {
    this.writes.push(write);
    const { kind } = this.environment.definition;
    const isSelf = write.key === keyText(this.object) && kindId(write.kind) === kindId(kind);
    if (isSelf && write.after !== undefined) this.object = write.after;
  }

  #logLate(error: RuntimeError): void {
    this.environment.log.error(error.message, { object: keyText(this.object), error });
  }

  /** The compiler checks it too, in typed programs. The runtime itself sets conditions that the kind does not declare. */
  #mustBeDeclared(condition: string): void {
    const { kind, handlers } = this.environment.definition;
    const { conditions } = handlers;
    if (!this.call.isRunning || conditions === undefined || conditions.includes(condition)) return;
    const known = conditions.length === 0 ? "it declares none" : `there are ${conditions.join(", ")}`;
    throw new RuntimeError(
      "NotDeclared",
      `Cannot set the condition "${condition}": ${kind.kind} does not declare it; ${known}. Correct the name, or add it to \`conditions\`.`,
      { object: `${kind.kind} ${keyText(this.object)}` },
    );
  }
}

/** Whether the operator's own writes to children, and nothing else, led to a reconcile. */
function isSelfInflicted({ triggers }: ReconcileRequest<ReconcileTrigger>, writer: Writer): boolean {
  return (
    triggers.length > 0 && triggers.every(({ relation, manager }) => relation === "owned" && writer.isOurs(manager))
  );
}
