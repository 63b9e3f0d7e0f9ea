/** The object of a request in the forms that webhooks ask for; what a webhook changes in one form is seen in all. */
import type { KubeObject } from "@capstan/model";
import type { AnyDraft } from "../builtin/draft.ts";
import type { AdmissionRequest, ServedKind } from "./admission.ts";

/** Both objects in one form. */
export interface Pair {
  readonly object: AnyDraft | undefined;
  readonly oldObject: KubeObject | undefined;
}

/** Forms are made when they are first asked for. */
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

  /** Takes over a changed object. */
  async replace(draft: AnyDraft, form: ServedKind): Promise<void> {
    this.request.object = await this.request.accept(draft, form);
    this.#pairs = new Map();
  }
}

/** A new object has no version yet, whatever stands in its place. */
function withoutInvention(draft: AnyDraft, { operation }: AdmissionRequest): AnyDraft {
  if (operation === "CREATE" && draft.metadata?.resourceVersion === "0") delete draft.metadata.resourceVersion;
  return draft;
}
