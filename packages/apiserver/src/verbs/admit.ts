/** Admission of requests that store nothing themselves: actions on an object, questions, connections. */
import type { AnyDraft } from "../builtin/draft.ts";
import type { ResourceExchange } from "../exchange.ts";
import { admissionRequest, type AdmissionSource } from "./context.ts";

/** What came out of the mutating half, and the other half, which is due when the object has been checked. */
export interface Admitted {
  readonly object: AnyDraft;
  validate(): Promise<void>;
}

/** Runs the mutating half. */
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
