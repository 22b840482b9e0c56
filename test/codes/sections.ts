/** The sections of the interface that list codes, with who shows each code. */
import { GROUP_CODE } from "../../core/fault/group-code.ts";
import { PRECOMPILED_CODES } from "../../core/fault/precompiled-code.ts";
import { TRANSACTION_STATUS } from "../../core/fault/transaction-status.ts";
import type { CodeCase, CodeElsewhere, CodeReason } from "./code-case.ts";
import { GROUP_CASES, GROUP_REASONS } from "./groups.ts";
import { SERVICE_CASES, SERVICE_REASONS } from "./services.ts";
import { STATUS_CASES, STATUS_ELSEWHERE, STATUS_REASONS } from "./statuses.ts";

/** A section and its codes. */
export interface CodeSection {
  readonly section: string;
  readonly title: string;
  /** Every code of the section, in its order, with its name or text. */
  readonly names: ReadonlyMap<number, string>;
  readonly cases: readonly CodeCase[];
  readonly reasons: readonly CodeReason[];
  readonly elsewhere?: readonly CodeElsewhere[];
  /** A code as the interface writes it. */
  readonly show: (code: number) => string;
}

/** 32 belongs to the specification of execution, not to the interface. */
const STATUSES = Object.entries(TRANSACTION_STATUS)
  .map(([name, code]) => [code, name] as const)
  .filter(([code]) => code !== TRANSACTION_STATUS.NotEnoughRemainGas);

/** All of them. */
export const SECTIONS: readonly CodeSection[] = [
  {
    section: "7.3",
    title: "Statuses of receipts and of refused transactions",
    names: new Map(STATUSES),
    cases: STATUS_CASES,
    reasons: STATUS_REASONS,
    elsewhere: STATUS_ELSEWHERE,
    show: String,
  },
  {
    section: "7.4",
    title: "Codes of group management",
    names: new Map(Object.entries(GROUP_CODE).map(([name, code]) => [code, name])),
    cases: GROUP_CASES,
    reasons: GROUP_REASONS,
    show: (code) => `0x${code.toString(16)}`,
  },
  {
    section: "7.5",
    title: "Codes of system contracts",
    names: new Map(Object.values(PRECOMPILED_CODES).map(({ code, message }) => [code, message])),
    cases: SERVICE_CASES,
    reasons: SERVICE_REASONS,
    show: String,
  },
];
