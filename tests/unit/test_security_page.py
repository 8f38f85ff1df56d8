# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Each rule that docs/security.md promises, and the tests that attempt what it excludes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = REPOSITORY / "docs" / "security.md"

#: Number of the rule -> file of the tests, and their names.
RULES = {
    1: {
        "loader/test_places.py": "test_unusable_place",
        "loader/test_files.py": "test_subfolders_are_not_searched",
        "loader/test_admission.py": "test_places_are_listed_and_nothing_is_opened",
        "loader/test_entry_points.py": "test_metadata_elsewhere_is_named_and_not_used",
    },
    2: {
        "loader/test_trust.py": "test_a_file_that_anybody_may_write_to "
        "test_a_folder_that_anybody_may_write_to test_a_folder_above_that_anybody_may_write_to "
        "test_a_sticky_folder_above_is_as_good_as_any test_both_ends_of_a_link_count "
        "test_links_on_the_way_count",
    },
    3: {
        "loader/test_trust.py": "test_a_file_of_another_user_is_reported "
        "test_a_file_of_another_user_is_refused_with_raised_privileges "
        "test_program_started_with_capabilities",
        "loader/test_lock_file.py": "test_locked_takes_no_file_of_another_user",
    },
    4: {
        "loader/test_trust.py": "test_the_system_tells_of_file_capabilities "
        "test_a_set_user_id_program test_no_variable_is_read_in_secure_mode",
    },
    5: {
        "loader/test_trust.py": "test_run_paths_in_the_folder_of_the_program "
        "test_an_empty_entry_of_a_run_path_is_reported test_a_needed_library_by_a_relative_path "
        "test_a_filter_by_a_relative_path test_a_name_that_the_systems_loader_makes_relative "
        "test_the_name_of_another_library",
    },
    6: {
        "loader/test_trust.py": "test_two_vendors_with_a_library_of_one_name",
        "loader/test_private_libraries.py": "test_two_vendors_with_a_library_of_one_name",
    },
    7: {
        "loader/test_lock_file.py": "test_locked_opens_only_what_the_lock_file_names "
        "test_a_file_that_changed test_locked_without_a_lock_file",
        "cli/test_backends_lock.py": "test_a_changed_file_fails_the_check_and_is_not_opened",
    },
    8: {
        "loader/test_changing_files.py": "test_change_between_inspecting_and_opening "
        "test_replaced_while_opening",
    },
    9: {
        "loader/test_probe.py": "test_a_deed_that_ends_the_process test_deeds_that_do_not_return "
        "test_a_file_that_forks test_a_file_that_closes_descriptors",
        "loader/test_opening_marks.py": "test_the_second_end_is_the_last",
        "cli/test_bad_files.py": "test_list_names_each_with_its_reason test_doctor_lives",
    },
    10: {"lifecycle/test_wild_answers.py": "test_objects test_texts"},
    11: {
        "loader/test_elf.py": "test_damaged",
        "loader/test_damage.py": "test_damage_is_refused",
        "loader/test_elf_sizes.py": "test_a_table_of_names_without_end",
        "loader/test_trust.py": "test_a_file_that_makes_stacks_executable",
        "loader/test_refusals.py": "test_refused test_sanitizer_library_would_end_the_process",
    },
    12: {
        "lifecycle/test_process_state.py": "test_restored_after_loading",
        "loader/test_probe.py": "test_changes_of_the_process_are_reported",
    },
    13: {
        "lifecycle/test_process_state.py": "test_numbers_of_others_stay_right "
        "test_numbers_in_long_double_stay_right",
    },
    14: {
        "lifecycle/test_fatal_signals.py": "test_the_call_is_named test_each_signal "
        "test_faulthandler_goes_on test_the_programs_own_handler_goes_on "
        "test_switched_off_by_the_user",
    },
    15: {
        "frontends/test_onnx_files.py": "test_weights_in_a_file_of_several_names "
        "test_weights_in_a_file_that_is_exchanged_meanwhile test_weights_in_a_model_cache "
        "test_huge_tensors",
        "unit/test_memory_budget.py": "test_import_computes_within_the_budget",
    },
    16: {
        "cli/test_hostile_names.py": "test_names_stay_in_their_lines",
        "loader/test_report.py": "test_names_cannot_disturb_a_terminal",
        "lifecycle/test_fatal_signals.py": "test_names_of_folders_cannot_disturb_a_terminal",
        "unit/optimizer/test_damaged_networks.py": ""
        "test_control_characters_of_a_file_reach_no_terminal",
        "unit/test_errors.py": "test_names_of_others_cannot_pose_as_lines_or_reach_a_terminal",
    },
    17: {
        "unit/runtime/test_network_cache.py": "test_foreign_files_in_the_cache",
        "unit/optimizer/test_damaged_networks.py": "test_each_damaged_byte_is_noticed_or_harmless",
        "loader/test_probe_cache_file.py": "test_a_spoilt_cache",
    },
    18: {
        "loader/test_reserved_ids.py": "test_a_folder test_a_wheel test_other_folders "
        "test_a_file_that_is_named test_a_name_allows_no_other_file "
        "test_the_packages_folder_behind_links",
    },
}


def test_each_rule_has_tests() -> None:
    promised = PAGE.read_text(encoding="utf-8").partition("## What is promised")[2]
    promised = promised.partition("## What is not promised")[0]
    numbers = [int(number) for number in re.findall(r"^(\d+)\. ", promised, re.MULTILINE)]
    assert numbers == list(RULES) == list(range(1, len(RULES) + 1))


@pytest.mark.parametrize("rule", RULES)
def test_the_tests_are_there(rule: int) -> None:
    for file, names in RULES[rule].items():
        text = (REPOSITORY / "tests" / file).read_text(encoding="utf-8")
        missing = [name for name in names.split() if f"\ndef {name}(" not in text]
        assert not missing, file
