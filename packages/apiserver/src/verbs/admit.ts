/** Admission of requests that do not store an object: actions, reviews, connections. */
import type { AnyDraft } from "../builtin/draft.ts";
import type { ResourceExchange } from "../exchange.ts";
import { admissionRequest, type AdmissionSource } from "./context.ts";

/** The result of mutating admission, and the validating phase, which runs after the object was validated. */
export interface Admitted {
  readonly object: AnyDraft;
  validate(): Promise<void>;
}

/** Runs mutating admission. */
export async function admit(
  exchange: ResourceExchange,
  source: Omit<AdmissionSource, "object" | "oldObject"> & { readonly object: AnyDraft },
): Promise<Admitted> {
  const { admission } = exchange.parts;
  const request = admissionRequest(exchange, { ...source, oldObject: undefined });
  const mutating = admission.mutate(request);
  if (mutating !== undefined) await mutating;
  return {
    object: request.object ?? source.object,
    async validate() {
      const validating = admission.validate(request);
      if (validating !== undefined) await validating;
    },
  };
}
