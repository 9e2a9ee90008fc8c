"""Errors whose hint has no automatic fix, grouped by the reason; `test_fixes.py` checks that all others have one."""

from __future__ import annotations

OUTSIDE_THE_SPEC = """
runs.grid_too_small runs.invalid_grid types.data_off_domain
networks.module_name_conflict networks.module_not_found networks.no_residual_blocks networks.not_trusted
runs.array_too_large runs.class_count_mismatch runs.corrupt_files runs.data_file_not_found runs.download_failed
runs.invalid_dtype runs.invalid_labels runs.invalid_observation_shape runs.invalid_sample_shape
runs.label_out_of_range runs.labels_from_one runs.other_data_set runs.sample_shape_mismatch runs.too_few_samples
runs.unexpected_arrays runs.unknown_data_dimension runs.unreadable_array runs.values_too_large types.invalid_mesh
types.mesh_not_found
settings.ambiguous_argument settings.ambiguous_entry settings.block_without_entry settings.constant_needs_value
settings.empty_component settings.entry_needs_value settings.entry_not_constant settings.incomplete_path
settings.missing_value settings.no_arguments_to_set settings.path_too_long settings.positional_arguments_follow
settings.unknown_component source.file_not_found source.not_utf8
"""
"""The remedy is outside the spec: a data file, a module, the environment or the command line."""

AT_RUN_TIME = """
networks.operator_full_matrix networks.operator_method networks.operator_on_domain networks.operator_on_images
networks.operator_on_pixels networks.operator_shape runs.empty_schedule runs.image_augmentation runs.missing_data
runs.selection_without_adversary runs.selection_without_validation
runs.missing_sweep runs.missing_train_block runs.nothing_to_train runs.solved_not_trained runs.trained_not_solved
"""
"""The spec is valid but needs another command or other data: found at run time, not by `check`."""

TEMPLATE = """
equations.fixes_one_variable equations.inequality_without_domain equations.invalid_condition
equations.invalid_location equations.missing_equation equations.needs_physical_domain equations.no_coordinate
families.data_space families.empty_support families.inverse_problem families.logarithm_of_nonpositive
families.not_a_coordinate families.outside_range families.range_not_scalar
equations.not_an_unknown equations.not_identifiable equations.too_few_for_characteristics
evaluation.missing_attack evaluation.missing_eps evaluation.plot_needs_entry evaluation.reference_in_any_dimension
feature_maps.missing_network_block feature_maps.no_field_on_pixels methods.natural_outflow
networks.invalid_network_path networks.loss_without_adversary networks.unknown_dimension options.empty_list
options.missing_argument options.sweep_without_values
options.missing_entry options.needs_from options.needs_interval options.only_operators options.unexpected_list
syntax.dangling_operator syntax.diff_variables syntax.expected_on syntax.missing_operand syntax.missing_space
syntax.missing_unknown syntax.not_a_spec syntax.operator_arguments syntax.sigma_index syntax.sum_index
syntax.sum_limits syntax.unexpected_end syntax.unexpected_token types.dimension_not_a_number
types.complex_argument types.complex_constant types.complex_learned_field types.complex_unknown_in_data_space
types.complex_value types.size_of_complex_vector types.gradient_of_other_size types.no_curl types.needs_matrix
types.degenerate_polygon types.initial_value_not_positive types.invalid_mesh_call types.invalid_polygon
types.invalid_softmax types.mesh_dimension types.mesh_with_inequalities types.not_a_value types.not_an_interval
eigenproblems.real_and_complex_unknowns types.coordinates_of_system
types.periodic_interval types.self_intersecting_polygon types.too_many_vertices
equations.invalid_history equations.missing_history syntax.integral_limits syntax.integration_variable
syntax.missing_upper_limit types.data_arguments types.invalid_integration_variable types.invalid_limit
"""
"""The hint shows a template; only the author knows the value or equation to fill in."""

SEVERAL_ALTERNATIVES = """
feature_maps.unsupported_part names.declared_twice names.name_conflict names.reserved_name networks.several_unknowns
options.expected_builtin options.logarithm_of_range options.sweep_value
syntax.duplicate_header syntax.line_continuation syntax.not_an_operator
syntax.order_mismatch syntax.positional_after_named syntax.subscript_in_name syntax.unexpected_dot
syntax.unknown_derivative types.invalid_initial_value types.invalid_unknown_type types.no_component
types.not_a_space types.product_of_intervals equations.curve_on_mesh
"""
"""Several alternatives are possible; completion proposes them."""

OTHER_MATHEMATICS = """
equations.discontinuous_history equations.first_kind equations.outside_domain equations.singular_kernel
equations.vector_normalization methods.nonlinear_in_integral methods.unsupported_integrand
types.integral_off_domain types.integral_over_inequalities
equations.axiom_refuted equations.empty_domain equations.empty_location equations.exact_has_unknowns
equations.exact_solution_violated equations.hyperbolic_dirichlet equations.incompatible_data
equations.incompatible_neumann_data equations.indefinite_diffusion equations.improper_inequality equations.learned_sign
equations.missing_unknown equations.violated_bound
equations.time_dependent_domain equations.unknown_in_level_set equations.unstable_step feature_maps.field_depends
feature_maps.not_separable feature_maps.operator_depends feature_maps.order_in_time
feature_maps.several_time_intervals feature_maps.shared_weights feature_maps.unsupported_right_hand_side
methods._monte_carlo methods.coupled_boundaries methods.incompatible_diffusion
methods.needs_learned_velocity methods.nonlocal_term methods.smoothing_with_transport names.differential
names.material_derivative names.unknown_index names.unknown_variable networks.divergence_free_in_one_dimension
networks.exact_derivatives networks.full_diffusion_matrix networks.logits_twice networks.network_with_factor
networks.no_probability_network networks.noise_not_constant networks.nonlinear_logits networks.unsupported_equation
networks.unsupported_term syntax.dot_as_argument syntax.labelled_condition syntax.operator_without_operand
syntax.order_zero syntax.periodic_statement syntax.second_equals_sign syntax.nabla_star
syntax.unsupported_line unsupported.not_supported
types.cannot_be_called types.componentwise_derivative types.index_out_of_range
types.needs_scalars types.no_adjoint types.no_divergence types.no_real_value types.not_constant
types.power_of_tensor_constant types.product_of_operators types.product_of_probabilities
eigenproblems.inhomogeneous_condition eigenproblems.no_physical_domain eigenproblems.nonlinear_in_eigenvalue
eigenproblems.nonlinear_in_unknown eigenproblems.not_complex_linear eigenproblems.unused_eigenvalue
point_sources.impulse point_sources.in_condition point_sources.invalid_argument point_sources.not_a_source
point_sources.off_domain point_sources.outside point_sources.strength_with_unknown
fractional.invalid_exponent fractional.invalid_operand fractional.off_domain fractional.on_bounded_domain
types.axis_with_angle types.range_of_coordinate types.restricted_coordinates types.vector_in_curvilinear_coordinates
fractional.invalid_exponent fractional.invalid_operand fractional.off_domain fractional.on_bounded_domain
point_sources.impulse point_sources.in_condition point_sources.invalid_argument point_sources.not_a_source
point_sources.off_domain point_sources.outside point_sources.strength_with_unknown types.invalid_cross_product
"""
"""The mathematics must change: an equation, its data or its domain."""

OTHER_SIZE = """
evaluation.large_eps evaluation.short_steps evaluation.unused_classes methods.zero_diffusion
feature_maps.odd_width feature_maps.patches_too_large feature_maps.stem_too_narrow feature_maps.too_many_stages
networks.disjoint_boxes networks.list_of_depths networks.too_many_weights networks.too_much_storage
syntax.expansion_limit syntax.exponent_too_large syntax.expression_too_deep syntax.expression_too_large
syntax.invalid_number syntax.nested_brackets syntax.nested_too_deeply syntax.number_out_of_range
syntax.power_too_large syntax.too_many_calls syntax.too_many_digits syntax.too_many_extrema
syntax.too_many_inequalities syntax.too_many_mixed_derivatives syntax.too_many_nodes syntax.too_many_terms
syntax.too_many_unknowns types.too_many_dimensions
"""
"""A number, a size or an expression must change, depending on the rest of the experiment."""

OTHER_STATEMENT = """
methods.needs_velocity methods.noise_with_full_matrix methods.relative_noise methods.relative_noise_in_one_dimension
methods.unused_network_of_unknown networks.data_not_at_path_end networks.network_in_two_intervals
networks.nonlocal_field networks.torchvision_random_blocks networks.without_blocks
networks.user_network_random_blocks options.duplicate_block options.value_count
"""
"""Two statements are incompatible, and the hint concerns the other one."""

WITHOUT_FIX = {
    name
    for group in (
        OUTSIDE_THE_SPEC,
        AT_RUN_TIME,
        TEMPLATE,
        SEVERAL_ALTERNATIVES,
        OTHER_MATHEMATICS,
        OTHER_SIZE,
        OTHER_STATEMENT,
    )
    for name in group.split()
}
