/** The version in which an object is admitted and validated: that of the request, or the storage version. */
import type { AnyDraft } from "../builtin/draft.ts";
import type { Codec, ServedResource } from "../resources/resource.ts";

/** Converts a draft from the version of the request to the one in which it is admitted and validated. */
export function toChecked({ conversion }: ServedResource, draft: AnyDraft): AnyDraft | Promise<AnyDraft> {
  return conversion?.checks === "stored" ? conversion.toStored(draft) : draft;
}

/** Converts a validated draft to the storage version. */
export function toStored({ conversion }: ServedResource, checked: AnyDraft): AnyDraft | Promise<AnyDraft> {
  return conversion?.checks === "served" ? conversion.toStored(checked) : checked;
}

/** The codec of the validated version. */
export function checkedCodec({ conversion, codec, stored }: ServedResource): Codec {
  return conversion?.checks === "served" ? codec : stored;
}
