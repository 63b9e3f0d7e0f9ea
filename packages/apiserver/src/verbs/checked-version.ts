/** The version of an object in which it is admitted and checked: that of the request, or the stored one. */
import type { AnyDraft } from "../builtin/draft.ts";
import type { Codec, ServedResource } from "../resources/resource.ts";

/** Brings a draft from the version of the request into the one in which it is admitted and checked. */
export function toChecked({ conversion }: ServedResource, draft: AnyDraft): AnyDraft | Promise<AnyDraft> {
  return conversion?.checks === "stored" ? conversion.toStored(draft) : draft;
}

/** Brings a draft that was checked into the stored version. */
export function toStored({ conversion }: ServedResource, checked: AnyDraft): AnyDraft | Promise<AnyDraft> {
  return conversion?.checks === "served" ? conversion.toStored(checked) : checked;
}

/** The form of what was checked. */
export function checkedCodec({ conversion, codec, stored }: ServedResource): Codec {
  return conversion?.checks === "served" ? codec : stored;
}
