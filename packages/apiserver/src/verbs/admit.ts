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

/** Options that are lists, and those that are yes or no; all others are text. */
const listOptions: ReadonlySet<string> = new Set(["command"]);
const flagOptions: ReadonlySet<string> = new Set(["stdin", "stdout", "stderr", "tty"]);

/** The options of a connection, from the query. */
export function connectOptions({ subresource, query, resource }: ResourceExchange): AnyDraft {
  const { group, version, kind } = subresource?.kind ?? resource;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  const options: { [name: string]: unknown } = {};
  for (const name of new Set(query.keys())) {
    const value = query.get(name) ?? "";
    if (listOptions.has(name)) options[name] = query.getAll(name);
    else options[name] = flagOptions.has(name) ? value === "true" || value === "1" : value;
  }
  return { kind, apiVersion, ...options } as unknown as AnyDraft;
}
