/** Reinvocation: a webhook or policy with reinvocationPolicy IfNeeded runs again if a later one changed the object. */
import { cloneJson, isDeepEqual, type KubeObject } from "@capstan/model";
import type { AdmissionRequest } from "./admission.ts";

/** The state of one admission step for one request, over both rounds. */
export class Reinvocation {
  #invoked = new Set<string>();
  readonly #wanted = new Set<string>();
  #lastOutput: KubeObject | undefined;

  /** Starts a round. If the object changed since the end of the first round, all invoked webhooks or policies run again. */
  begin({ rounds, object }: AdmissionRequest): void {
    if (rounds.isSecond && !isDeepEqual(this.#lastOutput, object)) this.wantAgain();
  }

  isLeftOut({ rounds }: AdmissionRequest, id: string): boolean {
    return rounds.isSecond && !this.#wanted.has(id);
  }

  /** Records an invocation with reinvocation. */
  invoked(id: string): void {
    this.#invoked.add(id);
  }

  /** Records a change: all invocations recorded so far run again. */
  wantAgain(): void {
    for (const id of this.#invoked) this.#wanted.add(id);
    this.#invoked = new Set();
  }

  end({ object }: AdmissionRequest): void {
    this.#lastOutput = object === undefined ? undefined : cloneJson(object);
  }
}

/** The state by request, for one admission step. */
export function reinvocations(): (request: AdmissionRequest) => Reinvocation {
  const states = new WeakMap<AdmissionRequest, Reinvocation>();
  return (request) => {
    const state = states.get(request) ?? new Reinvocation();
    states.set(request, state);
    return state;
  };
}
