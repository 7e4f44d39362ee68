import { describe, expect, it } from 'vitest';
import { injectedAs, splitInjected } from '../../../src/transcript/injected.mts';

describe('envelopes in what a person is said to have written', () => {
  it.each(['\x1b[31mred', '\0', '\x01 text'])('takes a text that begins with a control character as typed: %j', (text) => {
    expect(splitInjected(text)).toEqual([{ text }]);
    expect(injectedAs(text)).toBeUndefined();
  });

  it('keeps the question of a person who names an envelope', () => {
    expect(splitInjected('why does <system-reminder> appear?')).toEqual([{ text: 'why does <system-reminder> appear?' }]);
  });

  it('parts a reminder from what was typed before it', () => {
    expect(splitInjected('Fix the parser\n<system-reminder>be brief</system-reminder>')).toEqual([
      { text: 'Fix the parser' },
      { text: '<system-reminder>be brief</system-reminder>', meta: 'reminder' },
    ]);
  });
});
