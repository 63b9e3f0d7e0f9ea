/** When V8 begins to optimise: not for a start that finds nothing to do, but as soon as there is work. */
import type { AnyKind, Api } from "../../api.ts";

/** Sets a flag of V8 in the process that runs. */
export type SetFlag = (flag: string) => void;

/** How often a function is called before a compiler looks at it: at first, and as V8 has it by itself. */
const thresholds = [
  { flag: "--invocation-count-for-maglev", atFirst: 100_000, usual: 400 },
  { flag: "--invocation-count-for-turbofan", atFirst: 500_000, usual: 3_000 },
] as const;

/** Writes that every start makes, whether or not there is work. */
const kindsOfStarts: ReadonlySet<string> = new Set(["Lease"]);

/**
 * Lets optimising compilers wait until something is written through the API that is returned. A start with thousands of objects and nothing to do calls
 * everything often enough to be compiled, and ends before that has paid for itself.
 *
 * It must be before the first write: V8 fixes how long a function waits when it was called for the eighth time.
 */
export function compileLate(api: Api, setFlag: SetFlag): Api {
  for (const { flag, atFirst } of thresholds) setFlag(`${flag}=${atFirst}`);
  let isAtWork = false;
  const begin = ({ kind }: AnyKind): void => {
    if (isAtWork || kindsOfStarts.has(kind)) return;
    isAtWork = true;
    for (const { flag, usual } of thresholds) setFlag(`${flag}=${usual}`);
  };
  return {
    ...api,
    create: (kind, object, options) => {
      begin(kind);
      return api.create(kind, object, options);
    },
    apply: (kind, object, options) => {
      begin(kind);
      return api.apply(kind, object, options);
    },
    patch: (kind, key, body, options) => {
      begin(kind);
      return api.patch(kind, key, body, options);
    },
    delete: (kind, key, options) => {
      begin(kind);
      return api.delete(kind, key, options);
    },
  };
}
