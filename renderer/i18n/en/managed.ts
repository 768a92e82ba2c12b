/** What an organisation has set for this computer. */
export const managed = {
  set: 'Set by your organisation',
  setBy: 'Set by {{organisation}}',
  'sets.servers': 'Only some servers may run.',
  'sets.tools': 'Some tools are never called.',
  'sets.changedDefinitions': 'A tool that says something else of itself than before is blocked until you have agreed to it.',
  'sets.standingPermissions': 'What you allow holds for one call or one answer, no longer.',
  'sets.audit': 'Nothing is called unless the activity log can be checked.',
  'sets.bundles': 'Bundles run only when somebody vouches for who signed them.',
  'sets.sandbox': 'Servers on this computer run under Protected or Strict.',
};
