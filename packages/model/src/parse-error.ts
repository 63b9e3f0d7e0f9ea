/** The error of every parser in this room: which form was expected, what was found instead. */

/** What could not be parsed. */
export type ParseErrorCode =
  | "InvalidApiVersion"
  | "InvalidDuration"
  | "InvalidFieldSelector"
  | "InvalidIntOrString"
  | "InvalidLabelSelector"
  | "InvalidQuantity"
  | "InvalidTime";

/** A text that does not have the form it should have; the message is the one that kube-apiserver gives for it. */
export class ParseError extends Error {
  override readonly name = "ParseError";
  readonly code: ParseErrorCode;
  readonly input: string;

  constructor(code: ParseErrorCode, input: string, message: string) {
    super(message);
    this.code = code;
    this.input = input;
  }
}
