/** Who is asked a second time: whoever wished it, once somebody after them changed the object. */
import { cloneJson, isDeepEqual, type KubeObject } from "@capstan/model";
import type { AdmissionRequest } from "./admission.ts";

/** The askings of one request by one step of admission, through both of its rounds. */
export class Reinvocation {
  #invoked = new Set<string>();
  readonly #wanted = new Set<string>();
  #lastOutput: KubeObject | undefined;

  /** A round begins: what others changed since the last one counts as a change after all who were asked in it. */
  begin({ rounds, object }: AdmissionRequest): void {
    if (rounds.isSecond && !isDeepEqual(this.#lastOutput, object)) this.wantAgain();
  }

  isLeftOut({ rounds }: AdmissionRequest, id: string): boolean {
    return rounds.isSecond && !this.#wanted.has(id);
  }

  /** Was asked, and wishes to see what comes later. */
  invoked(id: string): void {
    this.#invoked.add(id);
  }

  /** Something was changed. */
  wantAgain(): void {
    for (const id of this.#invoked) this.#wanted.add(id);
    this.#invoked = new Set();
  }

  end({ object }: AdmissionRequest): void {
    this.#lastOutput = object === undefined ? undefined : cloneJson(object);
  }
}

/** For a step of admission: the state of each request, for as long as there is one. */
export function reinvocations(): (request: AdmissionRequest) => Reinvocation {
  const states = new WeakMap<AdmissionRequest, Reinvocation>();
  return (request) => {
    const state = states.get(request) ?? new Reinvocation();
    states.set(request, state);
    return state;
  };
}
