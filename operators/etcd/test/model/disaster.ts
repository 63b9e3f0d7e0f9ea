/** Something that must never happen in the small world. */
export class Disaster extends Error {
  override readonly name = "Disaster";
}
