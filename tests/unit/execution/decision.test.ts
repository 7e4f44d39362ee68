import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/execution/decision.mts';
import { parsePolicy } from '../../../src/execution/policy-shape.mts';
import { shippedPolicy } from '../../helpers/engine.ts';

const policy = parsePolicy('p', JSON.stringify({ ...shippedPolicy(), grants: { ...shippedPolicy().grants, ODD: 'perhaps' }, risk_to_level: { ...shippedPolicy().risk_to_level, R5: 'ODD', R6: 'NOWHERE', R7: 'DISCOVERY_ONLY' } }));
const PLACES = ['APPROVED_WORKSPACE', 'SYSTEM_PATH', 'EXTERNAL_PATH', 'PERSONAL_DATA_PATH', 'DENIED_ROOT'] as const;

describe('a verdict', () => {
  // One letter a place: Allowed, Denied, Needs authorization.
  it.each([
    ['R0', 'AADDD'], ['R1', 'ADDDD'], ['R2', 'NDDDD'], ['R3', 'NDDDD'], ['R4', 'NDDDD'], ['R7', 'AADDD'],
    ['R5', 'DDDDD'], ['R6', 'DDDDD'], ['R9', 'DDDDD'], ['constructor', 'DDDDD'], ['__proto__', 'DDDDD'], ['r0', 'DDDDD'], ['', 'DDDDD'],
  ])('on risk %j in a workspace, a system path, elsewhere, personal data and a denied root is %s', (risk, verdicts) => {
    expect(PLACES.map((classification) => decide('read', risk, { classification }, policy).verdict[0]).join('')).toBe(verdicts);
  });

  it('on a process is a refusal at every level that only reads', () => {
    const at = (risk: string) => decide('spawn', risk, { classification: 'APPROVED_WORKSPACE' }, policy).verdict;
    expect(['R0', 'R7', 'R1', 'R2'].map(at)).toEqual(['DENIED', 'DENIED', 'ALLOWED', 'NEEDS_AUTH']);
    expect(decide('spawn', 'R0', { classification: 'APPROVED_WORKSPACE' }, { ...policy, risk_to_level: { R0: 'WORKSPACE_WRITE' } }).verdict).toBe('DENIED');
  });

  it('on a name that was refused is a refusal, whatever the risk', () => {
    expect(decide('read', 'R0', { classification: 'APPROVED_WORKSPACE', trouble: 'is a device path' }, policy)).toMatchObject({ verdict: 'DENIED', reason: 'the target is a device path' });
  });

  it('says which level the risk has and why', () => {
    expect(decide('read', 'R2', { classification: 'APPROVED_WORKSPACE' }, policy)).toEqual({
      verdict: 'NEEDS_AUTH', reason: "EXTERNAL_EFFECT needs a person's authorization", risk: 'R2', level: 'EXTERNAL_EFFECT', classification: 'APPROVED_WORKSPACE',
    });
    expect(decide('read', 'R9', { classification: 'APPROVED_WORKSPACE' }, policy)).toMatchObject({ level: null, reason: 'the policy has no risk R9' });
    expect(decide('read', 'R5', { classification: 'APPROVED_WORKSPACE' }, policy).reason).toBe('the policy\'s grant for ODD is "perhaps"');
    expect(decide('read', 'R6', { classification: 'APPROVED_WORKSPACE' }, policy).reason).toBe('the policy grants NOWHERE nothing');
  });
});
