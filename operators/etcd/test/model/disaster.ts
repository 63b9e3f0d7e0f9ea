/** A violated invariant of the model. */
export class Disaster extends Error {
  override readonly name = "Disaster";
}
