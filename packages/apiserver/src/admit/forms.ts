/** The object of a request in the versions that webhooks need; a change in one version is visible in all. */
import type { KubeObject } from "@capstan/model";
import type { AnyDraft } from "../builtin/draft.ts";
import type { AdmissionRequest, ServedKind } from "./admission.ts";

/** Object and old object in one version. */
export interface Pair {
  readonly object: AnyDraft | undefined;
  readonly oldObject: KubeObject | undefined;
}

/** Versions are converted lazily. */
export class Forms {
  readonly request: AdmissionRequest;
  #pairs = new Map<string, Pair>();

  constructor(request: AdmissionRequest) {
    this.request = request;
  }

  async in(form: ServedKind): Promise<Pair> {
    const key = `${form.group}/${form.version}`;
    const known = this.#pairs.get(key);
    if (known !== undefined) return known;
    const { request } = this;
    const { object, oldObject } = request;
    const pair = {
      object: object === undefined ? undefined : withoutInvention(await request.present(object, form), request),
      oldObject: oldObject === undefined ? undefined : await request.present(oldObject, form),
    };
    this.#pairs.set(key, pair);
    return pair;
  }

  /** Replaces the object by a changed one. */
  async replace(draft: AnyDraft, form: ServedKind): Promise<void> {
    this.request.object = await this.request.accept(draft, form);
    this.#pairs = new Map();
  }
}

/** A new object must not have a resourceVersion; conversion may set it to "0". */
function withoutInvention(draft: AnyDraft, { operation }: AdmissionRequest): AnyDraft {
  if (operation === "CREATE" && draft.metadata?.resourceVersion === "0") delete draft.metadata.resourceVersion;
  return draft;
}
