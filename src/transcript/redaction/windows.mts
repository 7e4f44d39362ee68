/**
 * The beginnings that every secret of a known kind has: the first look searches for these and for nothing else, so a
 * kind whose beginning is missing here is not found. They are written as regular expressions of single characters and
 * classes, and are read twice: by the vector scan (places 0 to 4, and 7), and where there is none as one expression.
 *
 * Eight groups, because a group is a bit of a byte. Words that look alike stand together: the fewer characters a
 * group allows in a place, the fewer of its hits are false. Lower-case words are the costly ones, and two of them can make
 * a third that is frequent (`pass` and `auth` make `path`): such a one stands with those it shares no pair of letters with.
 */
import type { Place } from './simd.mts';

/** The word in any case. */
function word(letters: string): string {
  return letters.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

const WORD = String.raw`[\w-]`;
const NO_LOWER = String.raw`[^\x60-\x7f]`;

export const GROUP = { underscore: 1, dash: 2, rare: 4, colon: 8, dots: 16, words: 32, phrases: 64, names: 128 } as const;

/** One list a group, in the order of GROUP's bits. */
export const WINDOWS: readonly (readonly string[])[] = [
  ['gh[pousr]_[A-Za-z0-9]', 'hub_p', 'npm_[A-Za-z0-9]', 'hf_[A-Za-z0-9][A-Za-z0-9]', '[sr]k_[lt][ie]', '[opr]_v1_', 'hsec_',
    'gsk_[A-Za-z0-9]', 'sbp_[v0-9a-f]', 'nfp_[A-Za-z0-9]', `igd_${WORD}`, 'n_api', 'cale_', 'hpat_', 'r_pat', String.raw`:[\\][/\\][/\\][/\\]`],
  ['sk-[A-Za-z0-9][A-Za-z0-9]', 'key-[0-9a-f]', 'xai-[A-Za-z0-9]', 'plx-[A-Za-z0-9]', 'vly-[A-Za-z0-9]', word('auth') + NO_LOWER],
  ['A[KSBC][IC]A[A-Z0-9]', `AIza${WORD}`, 'GOCSP', `SG[.]${WORD}${WORD}`, 'AGE-S', 'SK[0-9a-f][0-9a-f][0-9a-f]', 'VATE ', 'LS0tL', 'PMAK-', 'NRAK-', 'ATATT', '@tcp[(]', '@unix', 'ks/[0-9][0-9]', `hv[sbr][.]${WORD}`, `eyJ${WORD}${WORD}`, '[\\\\]u00[2-7]', word('pwd') + NO_LOWER, `[_]${word('pw')}${NO_LOWER}`, `[_]PAT${NO_LOWER}`],
  ['[a-z0-9][a-z0-9]:[/][/]', '[A-Z][A-Z]:[/][/]', '[0-9][0-9][0-9][0-9]:'],
  [`[.]${WORD.repeat(6)}[.]`],
  [`${word('ken')}[^sS]`, word('cret'), word('crede'), word('curl'), 'slack', word('oriza'), word('beare'), 'gl[dr]t-', 'gl[fo][ta][-s]', 'glcbt', 'glptt', 'glsoa', 'glimt', 'glage', 'glffc', 'glpat', 'pypi-', 'xox[a-z][-.]', 'xapp-', 'ya29[.]'],
  [word('pass') + '[wWpPcC]', word('mysq'), word('sic '), 'gin -', '[ "\']logi', 'sshpa', word('ied b')],
  [`[-_. iIsSeEtT]${word('key')}${NO_LOWER}`, `[a-z]Key${NO_LOWER}`, word('pass') + NO_LOWER, word('creds')],
];

/** The windows for the vector scan, place by place. */
export function places(): Place[][][] {
  const known = new Map<string, readonly number[]>();
  return WINDOWS.map((group) =>
    group.map((window) =>
      (window.match(/\[(?:\\.|[^\]])*\]|./g) ?? []).map((atom) => {
        const codes = known.get(atom) ?? allowed(atom);
        known.set(atom, codes);
        return codes;
      }),
    ),
  );
}

function allowed(atom: string): number[] {
  if (atom.length === 1) return [atom.charCodeAt(0)];
  return (ALL.match(new RegExp(atom, 'g')) ?? []).map((sign) => sign.charCodeAt(0));
}

/** Each character that is one byte of Latin-1. */
const ALL = String.fromCharCode(...Array.from({ length: 256 }, (_, code) => code));

/** The windows as one expression; an atom before the end of the text may be missing, as the vector scan sees zeros there. */
export function asExpression(): RegExp {
  const open = WINDOWS.flat().map((window) => window.replace(NO_LOWER, `(?:${NO_LOWER}|$)`).replace('[^sS]', '(?:[^sS]|$)'));
  return new RegExp(open.join('|'), 'g');
}
