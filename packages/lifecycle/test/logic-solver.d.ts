/** The part of logic-solver that the tests use; the library has no types. */
declare module "logic-solver" {
  type Formula = object;
  type Operand = Formula | string;
  class Solver {
    require(...formulas: readonly Operand[]): void;
    solve(): object | null;
    solveAssuming(formula: Operand): object | null;
  }
  const logic: {
    readonly Solver: typeof Solver;
    readonly or: (...operands: readonly Operand[]) => Formula;
    readonly and: (...operands: readonly Operand[]) => Formula;
    readonly not: (operand: string) => string;
    readonly atMostOne: (...operands: readonly Operand[]) => Formula;
  };
  export default logic;
}
